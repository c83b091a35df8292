package argv

import (
	"strconv"
	"strings"
)

// maxExponent limits how many digits a short number with an exponent can have.
const maxExponent = 1000

// number rewrites whole numbers such as 5.0, 1e3 and -0 without point and exponent: JSON Schema counts them
// as integers, but few programs do. The result is exact. Other numbers are returned as they are.
func number(text string) string {
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(text), "e")
	shift := 0
	if scientific {
		var err error
		if shift, err = strconv.Atoi(exponent); err != nil || shift > maxExponent || shift < -maxExponent {
			return text
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	unsigned := strings.TrimPrefix(whole, "-")
	digits, ok := shiftPoint(unsigned+fraction, shift-len(fraction))
	switch {
	case !ok:
		return text
	case digits == "0" || unsigned == whole:
		return digits
	}
	return "-" + digits
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
