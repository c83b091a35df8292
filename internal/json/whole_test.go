package json_test

import (
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

func TestOnlyWholeNumbersAreWhole(t *testing.T) {
	is := is.New(t)
	for literal, want := range map[string]string{"5": "5", "-5.00": "-5", "-0.0": "0", "12E+2": "1200", "1200e-2": "12"} {
		digits, ok := json.Whole(literal)
		is.True(ok)
		is.Equal(digits, want)
	}
	for _, literal := range []string{"", "-", ".", "+5", "--5", "1.2.3", "0x1", "e3", "1e", "0.5", "1e-1", "1e1001", "ten", " 1"} {
		_, ok := json.Whole(literal)
		is.True(!ok) // not a whole number
	}
}
