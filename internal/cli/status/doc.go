// Package status lets programs of the same user watch what a running server does.
//
// A server listens on the unix socket [Socket] in its private folder, which only its
// user can enter. A program that connects gets a [Snapshot] at once and another one every
// [Interval], each as JSON on a line of its own, until one side closes the connection.
// A program that writes to the connection, or does not read, is disconnected. Other users
// are refused if the system reports who connects; at most [Watchers] programs are served
// at the same time.
//
//	socat -u UNIX-CONNECT:/tmp/mcpbash.state.123/status.sock - | jq .inFlight
//
// Members may be added to a snapshot. Existing members keep their meaning.
package status
