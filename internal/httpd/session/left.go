package session

import "slices"

// leftCalls are calls that their client no longer waits for, as it has cancelled them or has
// disconnected, and that the server may still run. Their ids are taken, so that no answer goes to
// another call. Many servers do not answer a cancelled call, and do not say that it has ended: of
// more than max calls the oldest are forgotten.
type leftCalls struct {
	max  int
	keys []string // of their ids, oldest first
}

func (l *leftCalls) has(key string) bool { return slices.Contains(l.keys, key) }

func (l *leftCalls) add(key string) {
	l.keys = append(l.keys, key)
	if excess := len(l.keys) - l.max; excess > 0 {
		l.keys = slices.Delete(l.keys, 0, excess)
	}
}

// remove removes a call that was answered or has ended, if it is one of them.
func (l *leftCalls) remove(key string) {
	if at := slices.Index(l.keys, key); at >= 0 {
		l.keys = slices.Delete(l.keys, at, at+1)
	}
}
