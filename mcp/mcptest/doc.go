// Package mcptest holds what a server writes against the official schemas of the
// protocol, as net/http/httptest is there for handlers: put a [Checker] between
// a client and the server of a test, and every line that breaks the revision it
// belongs to is an error of the test.
//
// Revisions are told apart as the protocol does it. A request with one of the
// reserved keys in its _meta is answered in the words of 2026-07-28, every other
// in those of the revision that initialize has agreed on.
//
// The schemas are not part of this repository. They are found beside it, and
// where they are absent nothing is checked, and the test says so.
package mcptest
