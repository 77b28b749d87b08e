package apitest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// secrets are what no log and no store may hold: keys, Stripe's secrets, tokens of the
// issuer, and names that the suite screens.
var secrets = regexp.MustCompile(`lw_[0-9A-Za-z]{36}|lwe_[\w-]{40}|whsec_\w+|sk_(?:test|live)_\w+|eyJ[\w-]{20,}|Zorblatt|Quuxington`)

// CheckSecrets looks through all files of a folder, in which a service has kept and
// logged all that it did for [Run].
func CheckSecrets(t *testing.T, folder string) {
	t.Helper()
	read := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "bootstrap" { // a program is no store
			return err
		}
		text, err := os.ReadFile(path)
		read += len(text)
		if found := secrets.Find(text); found != nil {
			t.Errorf("%s holds %.8s…", filepath.Base(path), found)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if read < 10_000 {
		t.Errorf("only %d bytes were looked through: the service keeps more", read)
	}
}
