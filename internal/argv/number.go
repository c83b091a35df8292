package argv

import (
	"math"
	"strconv"
	"strings"
)

// exact is the limit below which a float64 represents every whole number.
const exact = 1 << 53

// number rewrites whole numbers such as 5.0 and 1e3 without point and exponent: JSON Schema counts
// them as integers, but few programs do. Other numbers are returned as they are.
func number(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		return text
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) >= exact {
		return text
	}
	return strconv.FormatInt(int64(n), 10)
}
