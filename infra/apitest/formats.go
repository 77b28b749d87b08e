package apitest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tealeg/xlsx/v3"
)

// What comes out in the formats is read by other programs than ours.

// readCSV reads a csv by Python's module, as records by the names of the header.
func readCSV(t *testing.T, text []byte) []map[string]string {
	t.Helper()
	const script = `import csv, io, json, sys
text = sys.stdin.buffer.read()
assert text.startswith(b"\xef\xbb\xbf"), "no byte-order mark"
print(json.dumps(list(csv.DictReader(io.StringIO(text.decode("utf-8-sig"), newline=""), strict=True))))`
	var records []map[string]string
	if err := json.Unmarshal(run(t, text, "python3", "-c", script), &records); err != nil {
		t.Fatalf("what Python printed: %v", err)
	}
	return records
}

// readNDJSON reads lines of JSON by jq, which must be one object each.
func readNDJSON(t *testing.T, text []byte) []map[string]any {
	t.Helper()
	if lines := bytes.Count(text, []byte("\n")); lines > 0 && text[len(text)-1] != '\n' {
		t.Error("the last line of the ndjson has no end")
	}
	var records []map[string]any
	for line := range bytes.Lines(text) {
		var record map[string]any
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatalf("line %s: %v", line, err)
		}
		records = append(records, record)
	}
	objects := strings.TrimSpace(string(run(t, text, "jq", "-s", `map(select(type == "object")) | length`)))
	if objects != strconv.Itoa(len(records)) {
		t.Errorf("jq counts %s objects in %d lines", objects, len(records))
	}
	return records
}

// readXLSX reads the first sheet of a spreadsheet below its header, cell by cell.
func readXLSX(t *testing.T, file []byte) (header []string, rows [][]string) {
	t.Helper()
	book, err := xlsx.OpenBinary(file)
	if err != nil {
		t.Fatalf("open the xlsx: %v", err)
	}
	if len(book.Sheets) != 2 {
		t.Errorf("the xlsx has %d sheets, want that of the rows and that of the evidence", len(book.Sheets))
	}
	sheet := book.Sheets[0]
	defer sheet.Close()
	err = sheet.ForEachRow(func(r *xlsx.Row) error {
		var cells []string
		for i := range sheet.MaxCol {
			cells = append(cells, r.GetCell(i).Value)
		}
		if header == nil {
			header = cells
			checkHeader(t, r)
		} else {
			rows = append(rows, cells)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return header, rows
}

func checkHeader(t *testing.T, r *xlsx.Row) {
	t.Helper()
	style := r.GetCell(0).GetStyle()
	if !style.Font.Bold || style.Fill.PatternType != "solid" || !strings.HasSuffix(style.Font.Color, "FFFFFF") {
		t.Errorf("the header is not bold and white on dark: %+v %+v", style.Font, style.Fill)
	}
}

// run gives a program its input and returns what it printed.
func run(t *testing.T, input []byte, program string, args ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not on this machine: nobody else has read the file", program)
	}
	command := exec.CommandContext(t.Context(), program, args...)
	command.Stdin = bytes.NewReader(input)
	var wrong bytes.Buffer
	command.Stderr = &wrong
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", program, err, wrong.Bytes())
	}
	return out
}

// odd are names that spreadsheets would run, and text that files get wrong.
func odd() []string {
	return []string{
		"=1+1", "+CMD|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tTab", "＝1", `quo"te, comma`, "two\nlines", "two\r\nlines",
		"\u202bعربي\u202c", "中国银行", "a;b", " blank ", "_x0041_",
	}
}

func (s Service) testFormats(t *testing.T) {
	key := s.key(t)
	t.Run("headers", func(t *testing.T) {
		for _, call := range []request{get(key, name("bank")), at(key, "sanctions", "limit=9"), at(key, "sources", ""), post(key, "", `{"names": ["bank"]}`)} {
			for format, kind := range map[string]string{
				"csv": "text/csv; charset=utf-8", "ndjson": "application/x-ndjson",
				"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
			} {
				call := call
				call.path += "&format=" + format // an empty parameter before it is none
				got := s.do(t, call)
				disposition := got.header.Get("Content-Disposition")
				if got.status != 200 || got.header.Get("Content-Type") != kind || !strings.HasPrefix(disposition, "attachment; filename=listward-") ||
					!strings.HasSuffix(disposition, time.Now().UTC().Format(time.DateOnly)+"."+format) || got.header.Get("X-Snapshot") == "" {
					t.Errorf("%s: %d %s, %s", call.path, got.status, got.header.Get("Content-Type"), disposition)
				}
			}
		}
	})
	t.Run("screening", func(t *testing.T) {
		var want screening
		s.do(t, get(key, name("bank"))).decode(t, &want)
		answer := s.do(t, get(key, name("bank")+"&format=csv"))
		if answer.header.Get("X-Matched") != "true" || answer.header.Get("X-Count") != strconv.Itoa(want.Count) {
			t.Errorf("X-Matched %q, X-Count %q of %d", answer.header.Get("X-Matched"), answer.header.Get("X-Count"), want.Count)
		}
		var ids []string
		for _, r := range want.Rows {
			ids = append(ids, r.ID)
		}
		checkColumn(t, "csv", readCSV(t, answer.body), "id", ids)
		checkColumn(t, "ndjson", readNDJSON(t, s.do(t, get(key, name("bank")+"&format=ndjson")).body), "id", ids)
		_, rows := readXLSX(t, s.do(t, get(key, name("bank")+"&format=xlsx")).body)
		var inSheet []string
		for _, r := range rows {
			inSheet = append(inSheet, r[6])
		}
		if !slices.Equal(inSheet, ids) {
			t.Errorf("xlsx has ids %q, want %q", inSheet, ids)
		}
	})
	t.Run("how much is shown", func(t *testing.T) { s.testNotes(t, key) })
	t.Run("browsing", func(t *testing.T) { s.testBrowsedFormats(t, key) })
	t.Run("odd text", func(t *testing.T) { s.testOddText(t, key) })
	t.Run("batch with rows", func(t *testing.T) {
		body := `{"names": ["Hizballah", "Zorblatt Quuxington"], "rows": true}`
		var want batchScreening
		s.do(t, post(key, "", body)).decode(t, &want)
		records := readCSV(t, s.do(t, post(key, "format=csv", body)).body)
		if len(records) != len(*want.Results[0].Rows)+1 {
			t.Fatalf("%d lines for %d hits and a miss", len(records), len(*want.Results[0].Rows))
		}
		if miss := records[len(records)-1]; miss["query"] != "Zorblatt Quuxington" || miss["id"] != "" || miss["match"] != "" {
			t.Errorf("the line of a miss: %v", miss)
		}
		if hit := records[0]; hit["query"] != "Hizballah" || hit["id"] != (*want.Results[0].Rows)[0].ID {
			t.Errorf("the line of a hit: %v", hit)
		}
	})
	t.Run("batch with more than its rows", func(t *testing.T) { s.testTruncatedBatch(t, key) })
}

// testTruncatedBatch: a file of rows tells, name by name, when there are more.
func (s Service) testTruncatedBatch(t *testing.T, key string) {
	const body = `{"names": ["a", "Hizballah", "Zorblatt Quuxington"], "rows": true}`
	var asked batchScreening
	s.do(t, post(key, "", body)).decode(t, &asked)
	var want [][]string
	for _, result := range asked.Results {
		for range max(1, len(*result.Rows)) {
			want = append(want, []string{result.Query, strconv.Itoa(result.Count), strconv.FormatBool(*result.Truncated)})
		}
	}
	if len(want) < 42 || want[0][2] != "true" {
		t.Fatalf("the sample has no name with more than 40 hits: %d lines, first %q", len(want), want[0])
	}
	var csv, ndjson, xlsx [][]string
	for _, record := range readCSV(t, s.do(t, post(key, "format=csv", body)).body) {
		csv = append(csv, []string{record["query"], record["count"], record["truncated"]})
	}
	for _, line := range readNDJSON(t, s.do(t, post(key, "format=ndjson", body)).body) {
		ndjson = append(ndjson, []string{fmt.Sprint(line["query"]), fmt.Sprint(line["count"]), fmt.Sprint(line["truncated"])})
	}
	_, rows := readXLSX(t, s.do(t, post(key, "format=xlsx", body)).body)
	for _, cells := range rows {
		xlsx = append(xlsx, []string{cells[0], cells[len(cells)-2], cells[len(cells)-1]})
	}
	for format, got := range map[string][][]string{"csv": csv, "ndjson": ndjson, "xlsx": xlsx} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: query, count, truncated (-json +file):\n%s", format, diff)
		}
	}
}

// testNotes: the evidence sheet tells how much of the whole a spreadsheet holds.
func (s Service) testNotes(t *testing.T, key string) {
	var screened screening
	s.do(t, get(key, name("bank"))).decode(t, &screened)
	var browsed browsing
	s.do(t, at(key, "sanctions", "limit=7&offset=3")).decode(t, &browsed)
	for _, tt := range []struct {
		request
		want map[string]string
	}{
		{get(key, name("bank")+"&format=xlsx"), map[string]string{
			"Count 匹配数量": strconv.Itoa(screened.Count), "Rows shown 显示行数": strconv.Itoa(len(screened.Rows))}},
		{at(key, "sanctions", "limit=7&offset=3&format=xlsx"), map[string]string{
			"Total 总数": strconv.Itoa(browsed.Total), "Offset 起始位置": "3", "Rows shown 显示行数": "7"}},
		{at(key, "changes", "since="+browsed.Snapshot+"&format=xlsx"), map[string]string{
			"Total 总数": "0", "Offset 起始位置": "0", "Rows shown 显示行数": "0"}},
	} {
		checkNotes(t, tt.path, s.do(t, tt.request).body, tt.want)
	}
}

func checkNotes(t *testing.T, what string, file []byte, want map[string]string) {
	t.Helper()
	notes := readNotes(t, file)
	for label, value := range want {
		if got, ok := notes[label]; !ok || got != value {
			t.Errorf("%s: the evidence sheet has %s %q, want %q", what, label, got, value)
		}
	}
}

// readNotes reads the second sheet of a spreadsheet: values by their label in both
// languages.
func readNotes(t *testing.T, file []byte) map[string]string {
	t.Helper()
	book, err := xlsx.OpenBinary(file)
	if err != nil || len(book.Sheets) != 2 {
		t.Fatalf("open the xlsx: %v", err)
	}
	defer book.Sheets[1].Close()
	notes := map[string]string{}
	err = book.Sheets[1].ForEachRow(func(r *xlsx.Row) error {
		notes[r.GetCell(1).Value+" "+r.GetCell(0).Value] = r.GetCell(2).Value
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return notes
}

func checkColumn[V any](t *testing.T, format string, records []map[string]V, column string, want []string) {
	t.Helper()
	var got []string
	for _, record := range records {
		got = append(got, fmt.Sprint(record[column]))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s has the %s %q, want %q", format, column, got, want)
	}
}

// testBrowsedFormats compares the whole sample in every format.
func (s Service) testBrowsedFormats(t *testing.T, key string) {
	var want browsing
	s.do(t, at(key, "sanctions", "limit=500")).decode(t, &want)
	records := readCSV(t, s.do(t, at(key, "sanctions", "limit=500&format=csv")).body)
	_, rows := readXLSX(t, s.do(t, at(key, "sanctions", "limit=500&format=xlsx")).body)
	lines := s.do(t, at(key, "sanctions", "limit=500&format=ndjson")).body
	readNDJSON(t, lines)
	if len(records) != len(want.Rows) || len(rows) != len(want.Rows) {
		t.Fatalf("%d rows in JSON, %d in csv, %d in xlsx", len(want.Rows), len(records), len(rows))
	}
	decoder := json.NewDecoder(bytes.NewReader(lines))
	for i, r := range want.Rows {
		cells := []string{r.Source, r.Name, r.Type, r.Programs, r.ListedOn, r.URL, r.ID, r.IMO, strings.Join(r.BirthDates, "; "),
			strings.Join(r.Countries, "; "), strings.Join(r.Lists, "; "), strings.Join(r.Aliases, "; ")}
		names := []string{"source", "name", "type", "programs", "listed_on", "url", "id", "imo", "birth_dates", "countries", "lists", "aliases"}
		for j, name := range names {
			if records[i][name] != cells[j] {
				t.Errorf("csv: %s of %s is %q, want %q", name, r.ID, records[i][name], cells[j])
			}
			if name != "listed_on" && rows[i][j] != cells[j] { // a date is a number there
				t.Errorf("xlsx: %s of %s is %q, want %q", name, r.ID, rows[i][j], cells[j])
			}
		}
		var line listed
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, line, cmp.AllowUnexported(listed{})); diff != "" {
			t.Errorf("ndjson: row %s (-json +ndjson):\n%s", r.ID, diff)
		}
	}
}

// testOddText sends odd names and expects them back as they were, but for the mark that
// keeps a spreadsheet from running a csv's cell.
func (s Service) testOddText(t *testing.T, key string) {
	body, err := json.Marshal(map[string][]string{"names": odd()})
	if err != nil {
		t.Fatal(err)
	}
	call := func(format string) []byte { return s.do(t, post(key, "format="+format, string(body))).body }
	var guarded []string
	for i, name := range odd() {
		if i < 6 {
			name = "'" + name
		}
		guarded = append(guarded, name)
	}
	checkColumn(t, "csv", readCSV(t, call("csv")), "query", guarded)
	checkColumn(t, "ndjson", readNDJSON(t, call("ndjson")), "query", odd())
	_, rows := readXLSX(t, call("xlsx"))
	var got, want []string
	for i, r := range rows {
		// This reader trims blanks and does not undo Excel's escape of "_x0041_"; pkg/table
		// tests both.
		got = append(got, strings.ReplaceAll(r[0], "_x005F_", "_"))
		want = append(want, strings.TrimSpace(odd()[i]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("xlsx (-sent +read):\n%s", diff)
	}
}

// testExports downloads the bulk files: the address needs no key, and the file is what
// the description says.
func (s Service) testExports(t *testing.T) {
	key := s.key(t)
	var whole browsing
	s.do(t, at(key, "sanctions", "limit=500")).decode(t, &whole)
	for _, source := range append(sources(), "all") {
		var ids []string
		for _, r := range whole.Rows {
			if source == "all" || r.Source == source {
				ids = append(ids, r.ID)
			}
		}
		checkColumn(t, source+".csv", readCSV(t, s.download(t, key, source+".csv")), "id", ids)
		checkColumn(t, source+".ndjson", readNDJSON(t, s.download(t, key, source+".ndjson")), "id", ids)
		spreadsheet := s.download(t, key, source+".xlsx")
		if _, rows := readXLSX(t, spreadsheet); len(rows) != len(ids) {
			t.Errorf("%s.xlsx has %d rows, want %d", source, len(rows), len(ids))
		}
		checkNotes(t, source+".xlsx", spreadsheet, map[string]string{"Entries 条目数": strconv.Itoa(len(ids)), "Snapshot 快照": whole.Snapshot})
	}
	for _, file := range []string{"all.json", "all"} {
		fault := s.do(t, at(key, "exports/"+file, "")).error(t)
		if fault.Code != "invalid_format" || !strings.Contains(fault.Message, "csv, xlsx or ndjson") || strings.Contains(fault.Message, "json, ") {
			t.Errorf("%s: %+v, want the formats of an export and no other", file, fault)
		}
	}
}

// download fetches an export by both ways and returns it.
func (s Service) download(t *testing.T, key, file string) []byte {
	t.Helper()
	moved := s.do(t, at(key, "exports/"+file, ""))
	address := moved.header.Get("Location")
	if moved.status != http.StatusFound || address == "" || strings.Contains(address, key) {
		t.Fatalf("%s: %d, Location %q", file, moved.status, address)
	}
	var described struct {
		URL       string
		ExpiresAt time.Time `json:"expires_at"`
		Bytes     int
		SHA256    string
		Snapshot  string
	}
	description := s.do(t, at(key, "exports/"+file, "redirect=false"))
	description.decode(t, &described)
	if described.Snapshot == "" || described.Snapshot != description.header.Get("X-Snapshot") {
		t.Errorf("%s: snapshot %q, X-Snapshot %q", file, described.Snapshot, description.header.Get("X-Snapshot"))
	}
	if left := time.Until(described.ExpiresAt); left <= 0 || left > 5*time.Minute+time.Second {
		t.Errorf("%s: the address lives for %v", file, left)
	}
	for _, address := range []string{address, described.URL} {
		answer, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		sum := sha256.Sum256(body)
		if err != nil || answer.StatusCode != 200 || len(body) != described.Bytes || hex.EncodeToString(sum[:]) != described.SHA256 {
			t.Fatalf("%s: %d, %d bytes of %d, error %v", file, answer.StatusCode, len(body), described.Bytes, err)
		}
		if disposition := answer.Header.Get("Content-Disposition"); !strings.HasPrefix(disposition, "attachment; filename=listward-") {
			t.Errorf("%s: Content-Disposition %q", file, disposition)
		}
		if address == described.URL {
			return body
		}
	}
	return nil
}
