package locale_test

import (
	"testing"

	"github.com/listward/listward/pkg/locale"
)

func TestChoose(t *testing.T) {
	for _, tt := range []struct {
		accept      string
		preferences []string
		want        locale.Lang
	}{
		{"", nil, locale.English},
		{"zh-CN,zh;q=0.9,en;q=0.8", nil, locale.Chinese},
		{"zh-TW", nil, locale.Chinese},
		{"fr, de;q=0.5", nil, locale.English},
		{"en;q=0.3, zh;q=0.4", nil, locale.Chinese},
		{"not a header;;q=x", nil, locale.English},
		{"zh", []string{"en"}, locale.English},
		{"en", []string{"xx", "", "zh", "en"}, locale.Chinese},
		{"en", []string{"ZH"}, locale.English}, // as the parameter is written
	} {
		if got := locale.Choose(tt.accept, tt.preferences...); got != tt.want {
			t.Errorf("Choose(%q, %q) = %s, want %s", tt.accept, tt.preferences, got, tt.want)
		}
	}
}

func TestWords(t *testing.T) {
	words, err := locale.Read([]byte(`{"Search": "搜索"}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"Search": "搜索", "Find": "Find"} {
		if got := words.In(locale.Chinese, text); got != want {
			t.Errorf("%s in Chinese is %s, want %s", text, got, want)
		}
		if got := words.In(locale.English, text); got != text {
			t.Errorf("%s in English is %s", text, got)
		}
	}
	if _, err := locale.Read([]byte("[]")); err == nil {
		t.Error("a list is read as words")
	}
}
