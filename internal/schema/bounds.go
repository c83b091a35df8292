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

	// The work of a validation is counted in steps, see evaluation. Its time is also bounded by
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

// fitsFloat reports whether a float64 represents a number exactly.
func fitsFloat(n json.Number) bool {
	return len(n) <= floatDigits && !strings.ContainsAny(string(n), "eE")
}

// checkNumber checks a number against the bounds.
func checkNumber(n json.Number) error {
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(string(n)), "e")
	if digits := len(mantissa) - strings.Count(mantissa, ".") - strings.Count(mantissa, "-"); digits > maxDigits {
		return fmt.Errorf("a number of %d digits, more than %d", digits, maxDigits)
	}
	if e, err := strconv.Atoi(exponent); scientific && (err != nil || e < -maxExponent || e > maxExponent) {
		return fmt.Errorf("the number %s has an exponent beyond %d", clip(string(n)), maxExponent)
	}
	return nil
}
