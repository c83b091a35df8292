// Package jq is the jq command: JSON in, a filter, JSON out. It is what scripts find on
// machines without jq, so what counts is that a script cannot tell the difference: the
// same options, the same output to the byte, the same exit code.
//
// It follows jq 1.7.1. The language is that of the library gojq; this package adds the
// command line and what the library leaves out. A test compares it with the jq on PATH if
// that is 1.6, and lists what differs.
//
// # Objects keep the order of their keys
//
// The library holds objects in Go maps and would sort their keys. Here a side table
// (orders) remembers the order of each object, and the filter is rewritten before it is
// compiled so that whatever makes a new object also notes the order of its keys: object
// construction, +, *, assignment, del, with_entries and so on (rewrite.go, prelude.jq).
// Nothing but the order hangs on the table. Objects whose order is not known, which are
// $ENV and those of JSON modules, are printed sorted.
//
// # Where it differs from jq
//
//   - Integers are exact at any size, also in arithmetic. A number that is passed through
//     keeps its text: 1.0 stays 1.0, 1e2 stays 1e2.
//   - The texts of error messages, which try ... catch can see. Where a message is jq's it
//     is in its words, capitals included.
//   - Regular expressions are those of .NET rather than Oniguruma: the same in daily use,
//     lookaround and back references included, but no possessive quantifiers.
//   - No colours: -C is accepted and has no effect.
//   - .[2] of a string is its third character, where jq raises an error.
//   - Each file is read on its own: two files are never joined to one JSON text or line.
//   - To add keys to an object one by one takes a copy of it each time, as in the library:
//     with 10,000 keys, seconds.
package jq
