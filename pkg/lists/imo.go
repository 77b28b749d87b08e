package lists

// ShipIMO reports whether digits is a well-formed ship identification number:
// seven ASCII digits, the first not zero, of which the last is the check digit,
// the last digit of the sum of the others weighted 7, 6, 5, 4, 3, 2 (IMO
// Resolution A.1117(30)). It does not tell whether such a ship exists. The
// numbers of shipping companies look the same and have another check digit (see
// [CompanyIMO]), so a number in a publisher's free text is taken for a ship's
// only if it passes.
func ShipIMO(digits string) bool {
	sum, ok := weighted(digits, [6]int{7, 6, 5, 4, 3, 2})
	return ok && digits[0] != '0' && sum%10 == int(digits[6]-'0')
}

// CompanyIMO reports whether digits is a well-formed identification number of a
// shipping company or registered owner: seven ASCII digits of which the last is
// the check digit, (11 - sum mod 11) mod 10 for the sum of the others weighted
// 8, 6, 4, 2, 9, 7 (decisions section 1). Unlike a ship's it may begin with zero.
// About one ship's number in ten passes this too.
func CompanyIMO(digits string) bool {
	sum, ok := weighted(digits, [6]int{8, 6, 4, 2, 9, 7})
	return ok && (11-sum%11)%10 == int(digits[6]-'0')
}

// weighted sums the first six of seven digits by their weights. It is not ok for
// anything but seven ASCII digits.
func weighted(digits string, weights [6]int) (sum int, ok bool) {
	if len(digits) != 7 {
		return 0, false
	}
	for i := range 7 {
		d := digits[i]
		if d < '0' || d > '9' {
			return 0, false
		}
		if i < 6 {
			sum += int(d-'0') * weights[i]
		}
	}
	return sum, true
}
