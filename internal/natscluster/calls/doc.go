// Package calls runs tools on other machines: a replica, which is connected with the client, sends a
// call through NATS to a worker, which has a free slot and a copy of the project.
//
// # The messages
//
// Replicas and workers are peers, each with a random id. A peer subscribes to the subjects that begin
// with its id. All messages of its calls are sent there; a subject ends with the call and the kind of
// message:
//
//	NAME.work.r.PEER.CALL.KIND    to a replica
//	NAME.work.w.PEER.CALL.KIND    to a worker
//	NAME.work.offer               to any worker with a free slot
//
// This is the course of a call. Payloads are JSON, see message.go.
//
//	replica                                        worker
//	   │  offer: tool, version, replica               │
//	   ├─────────────── queue group ─────────────────►│ reserves a slot until begin
//	   │◄───────────────────────────── taken, refused ┤
//	   │                                              │
//	   ├ begin: arguments, client capabilities ──────►│ runs the tool
//	   │◄────────────────────────────── progress, log ┤ as often as there are any
//	   │◄─────────────────────────────── ask, dismiss ┤ questions, and cancelled ones
//	   ├ answer ─────────────────────────────────────►│
//	   ├ cancel ─────────────────────────────────────►│ the tool is ended
//	   │◄───────────────────────────── result, failed ┤ always the last one
//
// A worker has one subscription to the offers for each free slot, in a queue group, and each
// subscription takes a single message. So NATS gives an offer to a worker with a free slot, more often
// to workers with more of them, and reports at once if there is none (no responders). Then the call
// waits at its replica, bounded in number and time, and is offered again when a worker reports "free".
// A call that workers refuse, as they have another version of its tool, is offered again within the same
// time: in a rolling update more and more workers have the new version.
//
// # At most once
//
// An offer does not run the tool, so it may be repeated. Only begin runs a tool, and it is sent once, to
// the worker whose "taken" came first. No other message is repeated, and no call goes to a second worker.
//
// # Failed peers
//
// Each second a peer sends "alive" to every peer with which it shares calls, with these calls and the
// number of messages that it has sent for each. NATS keeps the order of messages from one peer to
// another, so the receiver detects by this list that messages were lost, or that the other peer does not
// know the call any more. A peer that was silent for five seconds counts as failed. In all these cases
// the replica answers the call with an error, and the worker ends the tool.
//
// # Long messages, slow readers
//
// At most eight messages of a call, each way, are unacknowledged: the receiver returns an "ack" for each
// when it has processed it. So a client that reads slowly slows its tool down, as it does without workers.
// The NATS server must allow messages of 16 KiB. A message longer than it allows is announced with "long",
// whose ack comes when there is memory for it, and sent as several "part" and the rest.
package calls
