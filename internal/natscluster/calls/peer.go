package calls

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Options are the options that replicas and workers have in common.
type Options struct {
	Conn    *nats.Conn
	Cluster string // the prefix of all subjects
	Name    string // of this process, for display
	// Beat is the interval of heartbeats, Patience the time after which a silent peer counts as
	// failed. Zero: 1 s and 5 s.
	Beat, Patience time.Duration
	Log            *slog.Logger
}

const (
	defaultBeat     = time.Second
	defaultPatience = 5 * time.Second
)

// A peer is this process's end of all its calls.
type peer struct {
	Options
	address string // r.ID or w.ID
	offers  func(call string, k kind, m *nats.Msg)
	inbox   *nats.Subscription
	stop    chan struct{}
	ended   sync.Once
	beating sync.WaitGroup

	mu    sync.Mutex
	links map[string]*link     // by call
	heard map[string]time.Time // when each peer with links has last sent a message
}

// newPeer starts a peer. The function offers is called with replies to offers.
func newPeer(o Options, role string, offers func(string, kind, *nats.Msg)) (*peer, error) {
	if o.Beat == 0 {
		o.Beat = defaultBeat
	}
	if o.Patience == 0 {
		o.Patience = defaultPatience
	}
	if n := o.Conn.MaxPayload(); n < leastPayload {
		return nil, fmt.Errorf("the NATS server allows messages of %d bytes only: set its max_payload to %d or more", n,
			leastPayload)
	}
	p := &peer{
		Options: o, address: role + "." + rand.Text(), offers: offers, stop: make(chan struct{}),
		links: make(map[string]*link), heard: make(map[string]time.Time),
	}
	var err error
	if p.inbox, err = o.Conn.Subscribe(p.subject(p.address)+".*.*", p.receive); err != nil {
		return nil, err
	}
	if err := p.inbox.SetPendingLimits(-1, -1); err != nil { // each call has its own bound
		return nil, err
	}
	p.beating.Go(p.beat)
	return p, nil
}

// close closes the peer. The other peers treat its remaining calls as lost after a while.
func (p *peer) close() {
	p.ended.Do(func() { close(p.stop) })
	p.beating.Wait()
	_ = p.inbox.Unsubscribe() // the connection may be closed
}

func (p *peer) subject(of string) string { return p.Cluster + ".work." + of }

// topic returns the subject of a message to a peer.
func (p *peer) topic(address, call string, k kind) string {
	return p.subject(address) + "." + call + "." + string(k)
}

// receive handles one message after the other. It does not block.
func (p *peer) receive(m *nats.Msg) {
	parts := strings.Split(m.Subject, ".")
	call, k := parts[len(parts)-2], kind(parts[len(parts)-1])
	switch k {
	case kindAlive:
		p.compare(m.Data)
	case kindTaken, kindRefused:
		p.offers(call, k, m)
	default:
		p.mu.Lock()
		l := p.links[call]
		p.mu.Unlock()
		if l != nil {
			l.receive(k, m.Data)
		}
	}
}

// link adds a call that this peer shares with another one. It is nil where this peer has the call already.
func (p *peer) link(call, address, name string) *link {
	l := newLink(p, call, address, name)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.links[call] != nil {
		return nil
	}
	p.links[call], p.heard[address] = l, time.Now()
	return l
}

// shares reports whether this peer shares a call with another one.
func (p *peer) shares(call, address string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.links[call]
	return l != nil && l.address == address
}

// unlink forgets a call that has ended.
func (p *peer) unlink(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.links[l.call] == l {
		delete(p.links, l.call)
	}
}

// beat sends heartbeats to other peers, and detects those that are silent.
func (p *peer) beat() {
	tick := time.NewTicker(p.Beat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.report()
		case <-p.stop:
			return
		}
	}
}

// report sends "alive" to all peers with calls. It holds the lock until the messages are sent, as a list
// must not be older than the messages before it.
func (p *peer) report() {
	p.mu.Lock()
	defer p.mu.Unlock()
	with := make(map[string][]*link)
	for _, l := range p.links {
		with[l.address] = append(with[l.address], l)
	}
	for address := range p.heard {
		if with[address] == nil {
			delete(p.heard, address)
		}
	}
	for address, links := range with {
		if silent := time.Since(p.heard[address]); silent > p.Patience {
			for _, l := range links {
				l.fail(errGone{l.name, silent})
			}
			continue
		}
		calls, done := make(map[string]uint64, len(links)), make(map[string]uint64, len(links))
		for _, l := range links {
			calls[l.call], done[l.call] = l.counts()
		}
		if err := p.Conn.Publish(p.topic(address, "-", kindAlive), sure(alive{p.address, calls, done})); err != nil {
			p.Log.Debug("cannot report to another process that this one is there", "error", err)
		}
	}
}

// compare compares another peer's list of shared calls with what has arrived here.
func (p *peer) compare(text []byte) {
	var theirs alive
	if json.Unmarshal(text, &theirs) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.heard[theirs.Address]; ok {
		p.heard[theirs.Address] = time.Now()
	}
	for _, l := range p.links {
		if l.address != theirs.Address {
			continue
		}
		if sent, known := theirs.Calls[l.call]; l.misses(sent, known) {
			l.fail(errLost{l.name})
		}
		l.caughtUp(theirs.Done[l.call])
	}
}

// errGone ends a call whose other peer is silent.
type errGone struct {
	name   string
	silent time.Duration
}

func (e errGone) Error() string {
	return fmt.Sprintf("%s has been silent for %v", e.name, e.silent.Round(time.Second/10))
}

// errLost ends a call of which messages are missing.
type errLost struct{ name string }

func (e errLost) Error() string {
	return fmt.Sprintf("%s has ended the call, or messages of it were lost", e.name)
}
