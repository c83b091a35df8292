package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The bounds. Each of them prevents an input that was seen to hang a validator, to
// exhaust its memory or to crash it.
const (
	maxSchemaBytes   = 256 << 10
	maxSchemaDepth   = 100    // the cost of the metaschema check is quadratic in it
	maxSubschemas    = 10_000 // the cost of compiling is quadratic in their number
	maxExpansion     = 10_000 // evaluations that one value can cause by anyOf, oneOf, allOf and $ref
	maxLevels        = 100    // of nested evaluations: with maxDocumentDepth, this bounds the stack
	maxDocumentDepth = 256
	maxExponent      = 400 // 1e1000000 would be computed digit by digit
	maxDigits        = 1_000

	// The work given to qri, as it is slow with enums and cannot be cancelled.
	maxPlainSchemas = 1_000
	maxPlainValues  = 1_000
	maxPlainEnum    = 100
	maxPlainWork    = 100_000 // schemas times values
	maxPlainBytes   = 64 << 10

	// The work of the exact engine is counted in steps, see evaluation. Its time is also bounded by
	// its context.
	fewSteps         = 500_000
	maxStepsPerValue = 3
	maxSteps         = 4_000_000
	stepsPerCheck    = 1_000       // between checks of the context
	textPerStep      = 16          // bytes that a pattern reads in a step
	stepsToCompare   = 4           // with all other items, by uniqueItems
	maxMatching      = time.Second // for all patterns of a document together
	maxChain         = maxLevels * maxDocumentDepth

	// Faults take memory too.
	maxFaults       = 20_000
	maxBranchFaults = 100 // within an alternative
)

// floatDigits is how many decimal digits any float64 preserves: numbers with at most so
// many digits, without exponent, compare as their floats do.
const floatDigits = 15

// checkNumber checks a number against the bounds and reports whether a float64
// represents it exactly.
func checkNumber(n json.Number) (fitsFloat bool, err error) {
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(string(n)), "e")
	digits := 0
	for i := range len(mantissa) {
		if c := mantissa[i]; '0' <= c && c <= '9' {
			digits++
		}
	}
	if digits > maxDigits {
		return false, fmt.Errorf("a number of %d digits, more than %d", digits, maxDigits)
	}
	if scientific {
		e, err := strconv.Atoi(exponent)
		if err != nil || e < -maxExponent || e > maxExponent {
			return false, fmt.Errorf("the number %s has an exponent beyond %d", clip(string(n)), maxExponent)
		}
	}
	return !scientific && digits <= floatDigits, nil
}
