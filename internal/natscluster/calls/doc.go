// Package calls runs tools on other machines: a replica, which is connected with the client, sends a
// call through NATS to a worker, which has a free slot and a copy of the project.
//
// # The messages
//
// Replicas and workers are peers, each with a name and a random id. A peer subscribes to the subjects that begin
// with both. All messages of its calls are sent there; a subject ends with the sender, the call and the kind of
// message, so NATS can forbid a worker to hear what is sent to another one, and to send in its name:
//
//	NAME.work.r.REPLICA.ID.WORKER.ID.CALL.KIND    to a replica
//	NAME.work.w.WORKER.ID.REPLICA.ID.CALL.KIND    to a worker
//	NAME.work.offer.TOOL                          to any worker that has the tool
//
// This is the course of a call. Payloads are JSON, see message.go.
//
//	replica                                        worker
//	   │  offer: tool, version                        │
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
// A worker subscribes to the offers of calls of each tool that it has, in a queue group. So NATS gives an offer to one
// of the workers with the tool, and reports at once if there is none (no responders). A worker without a free slot
// refuses, and the call is offered again some times. Then it waits at its replica, bounded in number and time, for a
// worker that reports "free", and is offered to this one. Each worker reports how busy it is once a second, so replicas
// know which workers there are.
// A call that workers refuse, as they have another version of its tool, is offered again within the same
// time: in a rolling update more and more workers have the new version.
//
// # At most once
//
// An offer does not run the tool, so it may be repeated, each time with another id of the call. Only begin runs a
// tool. It goes to the worker whose "taken" came first, which runs it once, however often it arrives. No call goes to a
// second worker.
//
// # Lost messages, failed peers
//
// The messages of a call are numbered, each way. Each second both ends send an "ack" with the number of the last one
// that they have processed, and send again what the other end has not acknowledged. So a call, and its result, outlive
// NATS for a while. An end that does not know the call, or not any more, answers "gone" to an "ack". A call whose other
// end says so, or was silent for 30 seconds, or has no connection with NATS for five, is lost: the replica answers it
// with an error, and the worker ends the tool.
//
// # Long messages, slow readers
//
// At most eight messages of a call, each way, are unacknowledged: the receiver returns an "ack" for each
// when it has processed it. So a client that reads slowly slows its tool down, as it does without workers.
// The NATS server must allow messages of 16 KiB. A message longer than it allows is announced with "long",
// whose ack comes when there is memory for it, and sent as several "part" and the rest.
package calls
