package fold

import "testing"

// TestLegalFormsAreFolded catches an entry of the table that no folded name
// could ever meet.
func TestLegalFormsAreFolded(t *testing.T) {
	if len(legalForms.forms) == 0 || len(hanSuffixes) == 0 {
		t.Fatal("a table of legal forms is empty")
	}
	for form := range legalForms.forms {
		if got := Fold(form); got != form {
			t.Errorf("the table has %q, which folds to %q", form, got)
		}
	}
	for i, suffix := range hanSuffixes {
		if got := Fold(suffix); got != suffix {
			t.Errorf("the table has %q, which folds to %q", suffix, got)
		}
		if i > 0 && len(suffix) > len(hanSuffixes[i-1]) {
			t.Errorf("%q stands behind the shorter %q and is never found", suffix, hanSuffixes[i-1])
		}
	}
}

// TestParticlesAreFolded does the same for the particles.
func TestParticlesAreFolded(t *testing.T) {
	words := Words(particles)
	if len(words) == 0 {
		t.Fatal("there are no particles")
	}
	for _, w := range words {
		if got := Fold(w); got != w {
			t.Errorf("the particles have %q, which folds to %q", w, got)
		}
	}
}
