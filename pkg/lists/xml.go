// Package lists holds what the parsers of all publishers share: the reasons for
// which a file is refused, and a reader that streams the records of an XML file.
//
// Each publisher has a package of its own below this one, of one shape: file
// parse.go, and a function Parse(io.Reader) (sanction.List, error) that returns
// no entries when it returns an error. A file that is not wholly and plainly the
// expected format is refused; a single record that cannot become an entry is
// left out and named in List.Rejected.
package lists

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The reasons for which a publisher's file is refused (decisions section 1,
// Refresh). Parse wraps them with what was found and where.
var (
	// ErrEmpty is returned for a body without content.
	ErrEmpty = errors.New("the file is empty")
	// ErrHTML is returned for a web page in place of the list, which publishers
	// send with status 200 during maintenance.
	ErrHTML = errors.New("the file is a web page, not a list")
	// ErrSyntax is returned for a body that is not well-formed XML.
	ErrSyntax = errors.New("the file is not well-formed XML")
	// ErrTruncated is returned when the file ends before its root element does.
	ErrTruncated = errors.New("the file is cut off")
	// ErrRoot is returned for another root element or namespace than the
	// publisher's: read by local name, such a file would give entries of unknown
	// meaning, and read strictly it would give none.
	ErrRoot = errors.New("the file has another root element or namespace")
	// ErrSchema is returned when an element that every file has is missing.
	ErrSchema = errors.New("a required element is missing")
	// ErrTooLarge is returned for a record of more bytes than any has, so that a
	// hostile or broken file cannot fill the memory.
	ErrTooLarge = errors.New("a record is too large")
	// ErrNoEntries is returned for a well-formed file without a single entry.
	ErrNoEntries = errors.New("the file holds no entries")
)

// Handlers maps the local name of an element to what is done with it. A handler
// must consume the element, as xml.Decoder.DecodeElement does. Elements without a
// handler, and the root always, are descended into.
//
// "name/*" handles every child of the element name, whatever it is called.
// "name/" is called where an element begins that is descended into, for its
// attributes, and must not consume it.
type Handlers map[string]func(d *xml.Decoder, start xml.StartElement) error

const (
	children = "/*"
	opening  = "/"
)

// ReadXML streams an XML file whose root element must be root (an empty
// namespace means none) and calls the handlers in the order of the file. It
// holds one record at a time, so memory does not grow with the file.
func ReadXML(r io.Reader, root xml.Name, on Handlers) error {
	m := &meter{Reader: r, left: maxRecord}
	body := bufio.NewReader(m)
	if err := sniff(body); err != nil {
		return err
	}
	d := xml.NewDecoder(body)
	err := readRoot(d, root, on)
	if err == nil {
		err = readElements(d, root, on, m)
	}
	return damage(err, d, body)
}

const (
	// maxRecord is the size of a record in bytes; the largest published so far has
	// about 100 kB.
	maxRecord = 2 << 20
	// maxDepth is how deep elements that nobody handles may be nested.
	maxDepth = 100
)

// meter is a reader that ends with ErrTooLarge when what is left has been read.
// It is refilled before each record.
type meter struct {
	io.Reader
	left int
}

func (m *meter) Read(b []byte) (int, error) {
	if m.left <= 0 {
		return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, maxRecord)
	}
	n, err := m.Reader.Read(b[:min(len(b), m.left)])
	m.left -= n
	return n, err
}

// sniff tells an empty body and a web page from XML by its first bytes, for web
// pages seldom are well-formed enough to reach the check of the root element.
func sniff(body *bufio.Reader) error {
	head, err := body.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the first bytes: %w", err)
	}
	head = bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF"))))
	switch {
	case len(head) == 0:
		return ErrEmpty
	case head[0] != '<':
		return fmt.Errorf("%w: it begins with %.20q", ErrSyntax, head)
	}
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<body"} {
		if bytes.HasPrefix(head, []byte(tag)) {
			return ErrHTML
		}
	}
	return nil
}

func readRoot(d *xml.Decoder, root xml.Name, on Handlers) error {
	for {
		token, err := d.Token()
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name != root {
			return fmt.Errorf("%w: found <%.80s> of namespace %.200q, want <%s> of %q",
				ErrRoot, start.Name.Local, start.Name.Space, root.Local, root.Space)
		}
		return on.open(d, start)
	}
}

func readElements(d *xml.Decoder, root xml.Name, on Handlers, m *meter) error {
	open := []string{root.Local} // the elements that we are in
	for len(open) < maxDepth {
		m.left = maxRecord
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			entered, err := on.start(d, open[len(open)-1], t)
			if err != nil {
				return err
			}
			if entered {
				open = append(open, t.Name.Local)
			}
		case xml.EndElement:
			if open = open[:len(open)-1]; len(open) == 0 {
				return readTail(d)
			}
		}
	}
	return fmt.Errorf("%w: elements are nested more than %d deep", ErrSyntax, maxDepth)
}

// start has an element handled, and reports whether it is to be descended into.
func (on Handlers) start(d *xml.Decoder, parent string, element xml.StartElement) (entered bool, err error) {
	handle := on[element.Name.Local]
	if each := on[parent+children]; each != nil {
		handle = each
	}
	if handle != nil {
		return false, handle(d, element)
	}
	return true, on.open(d, element)
}

// open calls the handler of an element that is descended into.
func (on Handlers) open(d *xml.Decoder, element xml.StartElement) error {
	if enter := on[element.Name.Local+opening]; enter != nil {
		return enter(d, element)
	}
	return nil
}

// readTail reads what may follow the root element, so that the check sum of a
// compressed file is verified and a second document behind the first is seen.
func readTail(d *xml.Decoder) error {
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if _, ok := token.(xml.StartElement); ok {
			return fmt.Errorf("%w: a second root element follows the first", ErrSyntax)
		}
	}
}

// damage tells a cut file from a broken one. Errors that are not about XML (a
// failing download) pass through.
func damage(err error, d *xml.Decoder, body *bufio.Reader) error {
	var syntax *xml.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &syntax) && cutOff(syntax, body):
		return fmt.Errorf("%w after %d bytes", ErrTruncated, d.InputOffset())
	case errors.As(err, &syntax):
		return fmt.Errorf("%w: line %d: %s", ErrSyntax, syntax.Line, syntax.Msg)
	case strings.HasPrefix(err.Error(), "xml: "): // an encoding or version that the decoder does not know
		return fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return err
}

// cutOff reports whether an error is that of a file which ends too early, maybe
// within a character.
func cutOff(err *xml.SyntaxError, body *bufio.Reader) bool {
	if err.Msg == "invalid UTF-8" {
		_, end := body.Peek(1)
		return errors.Is(end, io.EOF)
	}
	return err.Msg == "unexpected EOF"
}
