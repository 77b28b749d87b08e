package lists_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/listward/listward/pkg/lists"
)

func TestShipIMO(t *testing.T) {
	for digits, want := range map[string]bool{
		"9074729":  true, // the worked example of the IMO
		"8905490":  true,
		"9334038":  true,
		"9334039":  false, // check digit one too high
		"9334308":  false, // two digits exchanged
		"5988888":  false,
		"0000000":  false, // a placeholder, although its check digit holds
		"":         false,
		"933403":   false,
		"09334038": false,
		"93340:2":  false, // the colon is what follows 9 in ASCII
		"９334038":  false, // full-width digit
	} {
		if got := lists.ShipIMO(digits); got != want {
			t.Errorf("ShipIMO(%q) = %t, want %t", digits, got, want)
		}
	}
}

func TestCompanyIMO(t *testing.T) {
	for digits, want := range map[string]bool{
		"5342883":  true,  // Chongchongang Shipping
		"0011359":  true,  // newer companies begin with zero
		"5342884":  false, // check digit one too high
		"5432883":  false, // two digits exchanged
		"9074729":  false, // a ship's
		"0000000":  false,
		"":         false,
		"534288":   false,
		"05342883": false,
		"53428:3":  false,
	} {
		if got := lists.CompanyIMO(digits); got != want {
			t.Errorf("CompanyIMO(%q) = %t, want %t", digits, got, want)
		}
	}
}

// Every six digits have exactly one check digit, a ship's if they do not begin
// with zero.
func TestIMOHasOneCheckDigit(t *testing.T) {
	for _, kind := range []struct {
		name, stems string
		passes      func(string) bool
	}{
		{"ShipIMO", `[1-9][0-9]{5}`, lists.ShipIMO},
		{"CompanyIMO", `[0-9]{6}`, lists.CompanyIMO},
	} {
		rapid.Check(t, func(t *rapid.T) {
			stem := rapid.StringMatching(kind.stems).Draw(t, "stem")
			var passed []string
			for last := '0'; last <= '9'; last++ {
				if number := stem + string(last); kind.passes(number) {
					passed = append(passed, number)
				}
			}
			if len(passed) != 1 {
				t.Errorf("%s: of the numbers that begin with %s, %q pass, want exactly one", kind.name, stem, passed)
			}
		})
	}
}
