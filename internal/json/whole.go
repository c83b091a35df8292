package json

import (
	"strconv"
	"strings"
)

// maxExponent limits how many digits a short number with an exponent can have.
const maxExponent = 1000

// Whole returns a JSON number that is whole, such as 5.0, 1e3 or -0, without point and exponent, exactly; ok
// is false for any other text, and for an exponent beyond 1000.
func Whole(literal string) (digits string, ok bool) {
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(literal), "e")
	shift := 0
	if scientific {
		var err error
		if shift, err = strconv.Atoi(exponent); err != nil || shift > maxExponent || shift < -maxExponent {
			return "", false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	unsigned := strings.TrimPrefix(whole, "-")
	all := unsigned + fraction
	if all == "" || strings.Trim(all, "0123456789") != "" {
		return "", false
	}
	digits, ok = shiftPoint(all, shift-len(fraction))
	if ok && digits != "0" && unsigned != whole {
		digits = "-" + digits
	}
	return digits, ok
}

// shiftPoint returns the digits of a whole number times ten to the power of shift; ok is false if that
// is not whole.
func shiftPoint(digits string, shift int) (shifted string, ok bool) {
	if shift >= 0 {
		digits += strings.Repeat("0", shift)
	} else {
		keep := max(len(digits)+shift, 0)
		if strings.Trim(digits[keep:], "0") != "" {
			return "", false
		}
		digits = digits[:keep]
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		digits = "0"
	}
	return digits, true
}
