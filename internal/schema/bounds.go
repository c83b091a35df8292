package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The bounds. Every one of them stops something that was seen to hang, to
// exhaust memory or to kill a validator.
const (
	maxSchemaBytes   = 256 << 10
	maxSchemaDepth   = 100    // the cost of the metaschema check grows with the square of it
	maxSubschemas    = 10_000 // so does the cost of compiling with their number
	maxExpansion     = 10_000 // evaluations one value can cause by anyOf, oneOf, allOf and $ref
	maxLevels        = 100    // of them, one behind the other: with maxDocumentDepth, this bounds the stack
	maxDocumentDepth = 256
	maxExponent      = 400 // 1e1000000 would be computed digit by digit
	maxDigits        = 1_000

	// What qri gets, since it is slow with enums, and nothing ends it.
	maxPlainSchemas = 1_000
	maxPlainValues  = 1_000
	maxPlainEnum    = 100
	maxPlainWork    = 100_000 // schemas times values
	maxPlainBytes   = 64 << 10

	// What the exact engine does with a document is counted in steps while it is at work,
	// see judging. Its time is bounded by its context too.
	fewSteps         = 500_000
	maxStepsPerValue = 3
	maxSteps         = 4_000_000
	stepsPerLook     = 1_000       // between looks at the context
	textPerStep      = 16          // bytes that a pattern reads in a step
	stepsToCompare   = 4           // with all other items, by uniqueItems
	maxMatching      = time.Second // of all patterns of a document together
	maxChain         = maxLevels * maxDocumentDepth

	// Faults take memory too.
	maxFaults       = 20_000
	maxBranchFaults = 100 // within an alternative
)

// floatDigits is how many decimal digits any float64 keeps: numbers of so many
// digits, without exponent, are equal or ordered as their floats are.
const floatDigits = 15

// checkNumber checks a number against the bounds and reports whether a float64
// keeps it.
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
			return false, fmt.Errorf("the number %s has an exponent past %d", clip(string(n)), maxExponent)
		}
	}
	return !scientific && digits <= floatDigits, nil
}
