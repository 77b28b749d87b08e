package cn

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// ErrRegister is returned when the register in the program cannot be decoded.
var ErrRegister = errors.New("the register of notices is damaged")

// registerText holds the notices that we have written down from the official
// texts, in the form of [Notice]. The title of UEL-2024-1 counts three companies;
// the third is only warned.
//
//go:embed register.json
var registerText string

// Register returns the notices of the register in the order of their dates. Each
// was checked against its text, or says in its doubts what was not. The caller
// owns the result. The error is ErrRegister.
func Register() ([]Notice, error) {
	decoder := json.NewDecoder(strings.NewReader(registerText))
	decoder.DisallowUnknownFields()
	var notices []Notice
	if err := decoder.Decode(&notices); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRegister, err)
	}
	return notices, nil
}

// ReadFolder reads the notices of a folder, one in each file with the ending
// .txt or .html, in the order of the file names. Only these take effect (decisions
// section 1, CN), but where the register holds the same parties and effects for a
// notice, it was checked: it has the doubts of the register, and the further
// addresses that are known.
//
// A file that is no notice becomes a Notice with nothing but a doubt, titled with
// the file's name, so that it hides no other and is not hidden itself. The error
// is that of the file system, ErrRegister, or ErrNotice for a folder without
// notices.
func ReadFolder(folder fs.FS) ([]Notice, error) {
	register, err := Register()
	if err != nil {
		return nil, err
	}
	files, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, fmt.Errorf("read the folder of notices: %w", err)
	}
	var notices []Notice
	for _, file := range files {
		if ending := path.Ext(file.Name()); ending != ".txt" && ending != ".html" {
			continue
		}
		n, err := readFile(folder, file.Name())
		if err != nil {
			return nil, err
		}
		notices = append(notices, confirmed(n, register))
	}
	if len(notices) == 0 {
		return nil, fmt.Errorf("%w: there is none in the folder of notices", ErrNotice)
	}
	return notices, nil
}

func readFile(folder fs.FS, name string) (Notice, error) {
	file, err := folder.Open(name)
	if err != nil {
		return Notice{}, fmt.Errorf("open a notice: %w", err)
	}
	n, err := ParseNotice(file)
	if err != nil {
		n = Notice{Title: name, Doubts: []string{err.Error()}}
	}
	if err := file.Close(); err != nil {
		return Notice{}, fmt.Errorf("close notice %s: %w", name, err)
	}
	return n, nil
}

// confirmed settles a notice by the register, where that holds the same.
func confirmed(n Notice, register []Notice) Notice {
	for _, known := range register {
		if known.Number != n.Number || known.Published != n.Published ||
			!slices.Equal(known.Parties, n.Parties) || !slices.EqualFunc(known.Effects, n.Effects, Effect.equal) {
			continue
		}
		n.Doubts = known.Doubts
		for _, url := range known.URLs {
			if !slices.Contains(n.URLs, url) {
				n.URLs = append(n.URLs, url)
			}
		}
	}
	return n
}
