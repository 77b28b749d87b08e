package contract_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/listward/listward/pkg/contract/contracttest"
)

func TestDocumentIsOpenAPI(t *testing.T) { contracttest.New(t) }

// exchange is a call and an answer to it as the examples have them.
type exchange struct {
	operation
	status int
	media  string // empty for an answer without a body
	header http.Header
	body   string
	asked  string // the body of the call
}

// exchanges makes one of every example of every answer, and of every answer without
// a body.
func (d document) exchanges() []exchange {
	var all []exchange
	for _, o := range d.operations() {
		asked := ""
		for _, value := range d.examples(d.at(o.object, "requestBody", "content", "application/json")) {
			asked = marshal(d, value)
		}
		for code, item := range d.at(o.object, "responses") {
			status, err := strconv.Atoi(code)
			if err != nil {
				d.Fatal(err)
			}
			answer := d.at(item)
			header := d.headers(answer)
			if answer["content"] == nil {
				all = append(all, exchange{o, status, "", header, "", asked})
			}
			for media, content := range d.at(answer["content"]) {
				for _, value := range d.examples(d.at(content)) {
					body, isText := value.(string)
					if !isText {
						body = marshal(d, value)
					}
					all = append(all, exchange{o, status, media, header, body, asked})
				}
			}
		}
	}
	return all
}

func (d document) headers(answer object) http.Header {
	header := http.Header{}
	for name, item := range d.at(answer["headers"]) {
		if header.Set(name, text(d.at(item)["example"])); header.Get(name) == "" {
			d.Errorf("header %s has no example", name)
		}
	}
	return header
}

// text writes an example's value as it stands in a header or a query.
func text(v any) string {
	if n, ok := v.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

func marshal(t testing.TB, v any) string {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// request fills in the examples of the parameters.
func (x exchange) request(d document) *http.Request {
	path, query, header := x.path, url.Values{}, http.Header{}
	for name, p := range d.parameters(x.operation) {
		example := p["example"]
		switch {
		case example == nil && p["required"] == true:
			d.Errorf("%s: the required parameter %s has no example", x.id, name)
		case example == nil:
		case p["in"] == "path":
			path = strings.ReplaceAll(path, "{"+name+"}", text(example))
		case p["in"] == "query":
			query.Set(name, text(example))
		case p["in"] == "header":
			header.Set(name, text(example))
		}
	}
	r := httptest.NewRequest(x.method, path+"?"+query.Encode(), strings.NewReader(x.asked))
	r.Header = header
	r.Header.Set("Authorization", "Bearer lw_example")
	if x.asked != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// check holds the answer against the document.
func (x exchange) check(d document, v contracttest.Validator) error {
	header := x.header.Clone()
	if x.media != "" {
		header.Set("Content-Type", x.media)
	}
	return v.Answer(x.request(d), x.status, header, []byte(x.body))
}

func TestExamplesFitTheirSchemas(t *testing.T) {
	d, v := read(t), contracttest.New(t)
	seen := map[string]bool{}
	for _, x := range d.exchanges() {
		if err := v.Call(x.request(d)); err != nil {
			t.Errorf("%s: %v", x.id, err)
		}
		if err := x.check(d, v); err != nil {
			t.Errorf("%s %d %s: %v", x.id, x.status, x.media, err)
		}
		seen[fmt.Sprintf("%s %d %s", x.id, x.status, x.media)] = true
	}
	for _, o := range d.operations() {
		for media := range d.at(o.object, "responses", "200", "content") {
			binary := strings.Contains(media, "spreadsheet") || o.id == "openapi" || o.id == "docs"
			if key := o.id + " 200 " + media; !binary && !seen[key] {
				t.Errorf("%s has no example", key)
			}
		}
	}
}

// TestWrongExamplesAreFound shows that the test above can fail: by a body, a header,
// a status, a code of another status, and a parameter.
func TestWrongExamplesAreFound(t *testing.T) {
	d, v := read(t), contracttest.New(t)
	for _, x := range d.exchanges() {
		if x.id != "screen" || x.media != "application/json" || x.status != 200 && x.status != 400 {
			continue
		}
		wrong := map[string]func(*exchange){
			"no body":           func(x *exchange) { x.body = `{}` },
			"an unknown status": func(x *exchange) { x.status = 418 },
			"a missing header":  func(x *exchange) { x.header = http.Header{} },
			"a wrong header": func(x *exchange) {
				x.header = x.header.Clone()
				x.header.Set("X-RateLimit-Limit", "7")
			},
			"a wrong media type": func(x *exchange) { x.media = "text/plain" },
			"a field too many":   func(x *exchange) { x.body = strings.Replace(x.body, "{", `{"more": 1, `, 1) },
			"another's code":     func(x *exchange) { x.status, x.body = 400, `{"error": {"code": "not_found", "message": "x"}}` },
		}
		for what, spoil := range wrong {
			y := x
			spoil(&y)
			if err := y.check(d, v); err == nil {
				t.Errorf("%d with %s passes", x.status, what)
			}
		}
		r := x.request(d)
		r.URL.RawQuery = "name=" + strings.Repeat("x", 201)
		if err := v.Call(r); err == nil {
			t.Error("a name that is too long passes")
		}
	}
}

// TestFilesShowTheSameRows holds the examples of csv and ndjson against those of JSON.
func TestFilesShowTheSameRows(t *testing.T) {
	d := read(t)
	tables := 0
	for _, o := range d.operations() {
		content := d.at(o.object, "responses", "200", "content")
		if content["text/csv"] == nil {
			continue
		}
		tables++
		for _, example := range d.examples(d.at(content, "text/csv")) {
			if records, err := csv.NewReader(strings.NewReader(example.(string))).ReadAll(); err != nil || len(records) < 2 {
				t.Errorf("%s: csv %q: %v", o.id, example, err)
			}
		}
		shown := map[string]bool{}
		for _, field := range []string{"rows", "sources", "results"} {
			rows, _ := d.at(d.examples(d.at(content, "application/json"))[0])[field].([]any)
			for _, row := range rows {
				delete(row.(object), "rows")
				delete(row.(object), "truncated")
				shown[marshal(t, row)] = true
			}
		}
		for _, example := range d.examples(d.at(content, "application/x-ndjson")) {
			for line := range strings.Lines(example.(string)) {
				var row any
				if err := json.Unmarshal([]byte(line), &row); err != nil || !shown[marshal(t, row)] {
					t.Errorf("%s: ndjson has a line that JSON does not show: %s%v", o.id, line, err)
				}
			}
		}
	}
	if tables != 5 {
		t.Errorf("%d operations have files, want 5", tables)
	}
}

// TestErrorCodes holds the table of codes, the enumeration and the answers against
// each other.
func TestErrorCodes(t *testing.T) {
	d := read(t)
	codes := d.errorCodes()
	enum := texts(d.at(d.root, "components", "schemas", "Error", "properties", "error", "properties", "code")["enum"])
	if diff := cmp.Diff(slices.Sorted(maps.Keys(codes)), slices.Sorted(slices.Values(enum))); diff != "" {
		t.Errorf("x-error-codes and the enumeration (-table +enum):\n%s", diff)
	}
	// Told of addresses and methods that the document does not hold.
	reached := map[string]bool{"not_found": true, "method_not_allowed": true}
	for _, o := range d.operations() {
		for status, item := range d.at(o.object, "responses") {
			if status < "400" {
				continue
			}
			parts, _ := d.at(item, "content", "application/json", "schema")["allOf"].([]any)
			if len(parts) != 2 {
				t.Fatalf("%s %s: the error is not narrowed to its codes", o.id, status)
			}
			here := texts(d.at(parts[1], "properties", "error", "properties", "code")["enum"])
			for _, code := range here {
				reached[code] = true
				if strconv.Itoa(codes[code]) != status {
					t.Errorf("%s: %s stands under %s, and has %d in the table", o.id, code, status, codes[code])
				}
				if !strings.Contains(d.at(item)["description"].(string), "`"+code+"`") {
					t.Errorf("%s %s: the description does not name %s", o.id, status, code)
				}
			}
			if len(here) == 0 {
				t.Errorf("%s %s has no code", o.id, status)
			}
		}
	}
	for code := range codes {
		if !reached[code] {
			t.Errorf("%s can occur nowhere", code)
		}
	}
}

// TestSchemasSayEverything: each object is closed and each property, parameter, header
// and answer described.
func TestSchemasSayEverything(t *testing.T) {
	d := read(t)
	objects := 0
	var walk func(where string, v any)
	walk = func(where string, v any) {
		list, _ := v.([]any)
		for _, item := range list {
			walk(where+"[]", item)
		}
		o, _ := v.(object)
		properties, _ := o["properties"].(object)
		if narrowing := o["description"] == nil; len(properties) > 0 && !narrowing {
			objects++
			if o["additionalProperties"] != false || o["required"] == nil {
				t.Errorf("%s is open, or does not say what is required", where)
			}
			for name, p := range properties {
				if d.at(p)["description"] == nil {
					t.Errorf("%s.%s has no description", where, name)
				}
			}
		}
		for key, item := range o {
			if key != "examples" && key != "example" {
				walk(where+"/"+key, item)
			}
		}
	}
	walk("", d.root)
	if objects < 15 {
		t.Errorf("only %d objects found", objects)
	}
	for _, kind := range []string{"parameters", "headers", "responses", "schemas"} {
		for name, item := range d.at(d.root, "components", kind) {
			if d.at(item)["description"] == nil {
				t.Errorf("%s %s has no description", kind, name)
			}
		}
	}
}

// TestAnswersCarryWhatAllCarry: rate headers everywhere, a snapshot with every list,
// and a time to wait where waiting helps.
func TestAnswersCarryWhatAllCarry(t *testing.T) {
	d := read(t)
	for _, o := range d.operations() {
		public := o.object["security"] != nil
		for status, item := range d.at(o.object, "responses") {
			want := []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}
			switch {
			case status == "429" || status == "503":
				want = append(want, "Retry-After")
			case status == "304":
				want = append(want, "ETag")
			case status == "302":
				want = append(want, "Location", "X-Snapshot")
			case status == "200" && !public:
				want = append(want, "X-Snapshot")
			}
			for _, name := range want {
				if len(d.at(item, "headers", name)) == 0 {
					t.Errorf("%s %s has no %s", o.id, status, name)
				}
			}
		}
		if conditional := d.at(o.object, "responses", "304") != nil; conditional != (d.parameters(o)["If-None-Match"] != nil) {
			t.Errorf("%s: 304 and If-None-Match do not go together", o.id)
		}
	}
}
