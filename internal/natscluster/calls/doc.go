// Package calls has tools run on other machines: a replica, which has the client, sends a call through
// NATS to a worker, which has a free slot and a copy of the project.
//
// # The messages
//
// Replicas and workers are peers, each with a random id. A peer subscribes to one subject, and all that
// concerns a call is sent there, the call and the kind of the message at its end:
//
//	NAME.work.r.PEER.CALL.KIND    to a replica
//	NAME.work.w.PEER.CALL.KIND    to a worker
//	NAME.work.offer               to any worker with a free slot
//
// This is a call from its beginning to its end. Payloads are JSON, see message.go.
//
//	replica                                        worker
//	   │  offer: tool, version, replica               │
//	   ├─────────────── queue group ─────────────────►│ has a slot for it until begin
//	   │◄───────────────────────────── taken, refused ┤
//	   │                                              │
//	   ├ begin: arguments, what the client can ──────►│ runs the tool
//	   │◄────────────────────────────── progress, log ┤ as often as there are any
//	   │◄─────────────────────────────── ask, dismiss ┤ questions, and which are void
//	   ├ answer ─────────────────────────────────────►│
//	   ├ cancel ─────────────────────────────────────►│ the tool is ended
//	   │◄───────────────────────────── result, failed ┤ always the last one
//
// A worker has one subscription to the offers for each free slot, in a queue group, and each of them
// takes a single message. So NATS gives an offer to a worker that has room, the more often the more room
// it has, and reports at once where nobody has (no responders). Then the call waits at its replica,
// bounded in number and time, and is offered again when a worker reports "free".
//
// # At most once
//
// An offer runs nothing, so it may be repeated. Only begin runs a tool, and it is sent once, to the one
// worker whose "taken" came first. No message is repeated, and no call goes to a second worker.
//
// # Who is gone
//
// Each second a peer sends "alive" to every peer with which it has calls, with these calls and how many
// messages about each it has sent. NATS keeps the order of what one peer sends to another, so the receiver
// sees by this list that messages were lost, or that the other one does not know the call any more. Who is
// not heard of for five seconds is gone. In all these cases the replica answers the call with an error,
// and the worker ends the tool.
//
// # Long messages, slow readers
//
// At most eight messages of a call, each way, are under way: the receiver returns an "ack" for each when it
// is done with it. So a client that reads slowly slows its tool down, as it does without workers. What is
// longer than a message of NATS may be is announced with "long", whose ack comes when there is memory for
// it, and sent as several "part" and the rest.
package calls
