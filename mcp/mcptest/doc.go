// Package mcptest checks the output of a server against the official schemas of the protocol, as
// net/http/httptest does for handlers: put a [Checker] between a client and the server of a test,
// and every line that violates its revision is an error of the test.
//
// Revisions are distinguished as in the protocol. A request with one of the reserved keys in its
// _meta is answered by the rules of 2026-07-28, any other by those of the revision that initialize
// has negotiated.
//
// The schemas are not part of this repository. They are looked for beside it; if they are absent
// nothing is checked, and the test logs that.
package mcptest
