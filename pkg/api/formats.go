package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"mime"

	"github.com/listward/listward/pkg/table"
)

// formatJSON is the format in which an endpoint answers unless it is asked for another
// (spec section 4.6). The others are files.
const formatJSON table.Format = "json"

const typeJSON = "application/json; charset=utf-8"

func formats() []table.Format { return append([]table.Format{formatJSON}, table.Formats()...) }

// sheet is an answer that every format can show.
type sheet struct {
	body any // in JSON
	name string
	// file is the answer as a file, and is asked for only where one is wanted.
	file func() table.Sheet
}

// linesOf yields the lines of a list.
func linesOf[L table.Line](all []L) iter.Seq[table.Line] {
	return func(yield func(table.Line) bool) {
		for i := range all {
			if !yield(all[i]) {
				return
			}
		}
	}
}

// maxAnswer is the size of an answer's body that Lambda lets pass, in bytes: it takes 6
// MB, and base64 makes four of three.
const maxAnswer = 4 << 20

// render makes the body.
func (s sheet) render(f table.Format) ([]byte, error) {
	var b bytes.Buffer
	var err error
	if f == formatJSON {
		err = encode(&b, s.body)
	} else {
		err = s.file().Write(&b, f)
	}
	if err != nil {
		return nil, fmt.Errorf("write the answer as %s: %w", f, err)
	}
	if b.Len() > maxAnswer {
		return nil, &Error{Code: invalidLimit, Message: "The answer is larger than one call can carry. Ask for fewer rows with limit, or for fewer names."}
	}
	return b.Bytes(), nil
}

// attachment is the Content-Disposition of a file (RFC 6266).
func attachment(name string) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}

// encode writes a value as one line of JSON.
func encode(to *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
