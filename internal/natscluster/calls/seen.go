package calls

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// A report is what a worker tells all replicas with each beat, and when a slot becomes free.
type report struct {
	Slots int `json:"slots"` // 0: it takes no more calls
	Busy  int `json:"busy"`
}

// Workers are the workers that reported to a replica.
type workers struct {
	mu     sync.Mutex
	latest time.Time             // when any of them reported last
	known  map[string]seenWorker // by address; without those that have ended
}

type seenWorker struct {
	report
	at time.Time
}

func (w *workers) add(address string, r report) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.latest = time.Now()
	_, old := w.known[address]
	switch {
	case r.Slots == 0:
		delete(w.known, address)
	case old || len(w.known) < mostSeen: // a worker that lies can invent others
		w.known[address] = seenWorker{r, w.latest}
	}
}

// mostSeen is the maximum number of workers that a replica counts.
const mostSeen = 10_000

// Seen returns how many workers there are, and how many of them have no free slot. One that was silent for as long as
// a call may be is forgotten.
func (c *Caller) Seen() (all, busy int) {
	c.workers.mu.Lock()
	defer c.workers.mu.Unlock()
	for address, w := range c.workers.known {
		if time.Since(w.at) > c.Patience {
			delete(c.workers.known, address)
			continue
		}
		all++
		if w.Busy >= w.Slots {
			busy++
		}
	}
	return all, busy
}

// Ready reports whether a worker was there a short while ago. One that starts again does not make its replicas unready.
func (c *Caller) Ready() bool {
	c.workers.mu.Lock()
	defer c.workers.mu.Unlock()
	return time.Since(c.workers.latest) <= c.Patience
}

// Repeated returns how many offers of calls were repeats, as no worker took the call before.
func (c *Caller) Repeated() int { return int(c.repeated.Load()) }

// reported is called with the report of a worker.
func (c *Caller) reported(m *nats.Msg) {
	parts := strings.Split(strings.TrimPrefix(m.Subject, c.subject(everyReplica)), ".")
	address := "w." + parts[1] + "." + parts[2]
	var r report
	if json.Unmarshal(m.Data, &r) != nil {
		return
	}
	c.workers.add(address, r)
	if kind(parts[4]) == kindFree {
		c.freed(address)
	}
}

// report tells all replicas how busy this worker is. w.mu is locked.
func (w *Worker) report(k kind) {
	r := report{Slots: w.options.Slots, Busy: w.busy}
	if w.ending {
		r = report{}
	}
	_ = w.Conn.Publish(w.topic(everyReplica, "-", k), sure(r)) // the next beat repeats it, and calls are offered again
}
