// Package status shows what a running server does to programs of the same user.
//
// A server listens on the unix socket [Socket] in its private folder, which only its
// user can enter. Whoever connects gets a [Snapshot] at once and another one every
// [Interval], each as JSON on a line of its own, until one side closes the connection.
// A program that writes to the connection is disconnected. Other users are refused where the system says
// who connects; at most [Watchers] programs are served at the same time, and one that
// does not read is disconnected.
//
//	socat -u UNIX-CONNECT:/tmp/mcpbash.state.123/status.sock - | jq .inFlight
//
// Members may be added to a snapshot. Those that are there keep their meaning.
package status
