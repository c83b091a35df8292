// Package status lets programs of the same user watch what a running server does.
//
// A server listens on the unix socket [Socket] in its private folder. Only its user can enter
// the folder, and connect. A program that connects gets a [Snapshot] as JSON on one line, and
// is disconnected.
//
//	socat -u UNIX-CONNECT:/tmp/mcpbash.state.123/status.sock - | jq .inFlight
//
// Members may be added to a snapshot. Existing members keep their meaning.
package status
