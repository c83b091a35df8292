// Package status lets programs of the same user watch what a running server does.
//
// A server listens on the unix socket [Socket] in its private folder, which only its
// user can enter. A program that connects gets a [Snapshot] as JSON on one line, and is
// disconnected. Other users are refused if the system reports who connects.
//
//	socat -u UNIX-CONNECT:/tmp/mcpbash.state.123/status.sock - | jq .inFlight
//
// Members may be added to a snapshot. Existing members keep their meaning.
package status
