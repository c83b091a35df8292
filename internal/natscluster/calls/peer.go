package calls

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Options are the options that replicas and workers have in common.
type Options struct {
	Conn    *nats.Conn
	Cluster string // the prefix of all subjects
	// Name is the name of this process, a part of the subjects that it publishes and subscribes to, so that NATS can
	// give each name its own permissions. Letters, digits, - and _.
	Name string
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
	address string // r.NAME.ID or w.NAME.ID
	offers  func(from, call string, k kind, m *nats.Msg)
	inbox   *nats.Subscription
	stop    chan struct{}
	ended   sync.Once
	beating sync.WaitGroup

	mu    sync.Mutex
	links map[string]*link     // by call
	heard map[string]time.Time // when each peer with links has last sent a message
}

// newPeer starts a peer with the role "r" or "w". The function offers is called with offers and replies to them.
func newPeer(o Options, role string, offers func(from, call string, k kind, m *nats.Msg)) (*peer, error) {
	if !validName.MatchString(o.Name) {
		return nil, fmt.Errorf("the name %q must be one or more letters, digits, - or _", o.Name)
	}
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
		Options: o, address: role + "." + o.Name + "." + rand.Text(), offers: offers, stop: make(chan struct{}),
		links: make(map[string]*link), heard: make(map[string]time.Time),
	}
	var err error
	if p.inbox, err = o.Conn.Subscribe(p.subject(p.address)+".*.*.*.*", p.receive); err != nil {
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

// topic returns the subject of a message to a peer. It names the sender, whose permissions so decide whose messages
// it can send.
func (p *peer) topic(address, call string, k kind) string {
	return p.subject(address) + p.address[len("r"):] + "." + call + "." + string(k)
}

// parse returns the parts of a subject that topic has made for this peer. The sender has the other role.
func (p *peer) parse(subject string) (from, call string, k kind) {
	parts := strings.Split(strings.TrimPrefix(subject, p.subject("")), ".")
	if len(parts) != 7 { // role, name, id, the sender's name and id, call, kind
		return "", "", ""
	}
	role := "w."
	if p.address[0] == 'w' {
		role = "r."
	}
	return role + parts[3] + "." + parts[4], parts[5], kind(parts[6])
}

// nameOf returns the name in an address.
func nameOf(address string) string { return strings.Split(address, ".")[1] }

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// offersOf returns the subject of offers of calls of a tool. Its name is its part of the subject where NATS allows it.
func (p *peer) offersOf(tool string) string {
	if !inSubject.MatchString(tool) {
		sum := sha256.Sum256([]byte(tool))
		tool = "=" + hex.EncodeToString(sum[:])
	}
	return p.subject("offer." + tool)
}

var inSubject = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// receive handles one message after the other. It does not block.
func (p *peer) receive(m *nats.Msg) {
	from, call, k := p.parse(m.Subject)
	switch k {
	case kindAlive:
		p.compare(from, m.Data)
	case kindOffer, kindTaken, kindRefused:
		p.offers(from, call, k, m)
	default:
		p.mu.Lock()
		l := p.links[call]
		p.mu.Unlock()
		if l != nil && l.address == from { // only the worker that has a call can say how it goes
			l.receive(k, m.Data)
		}
	}
}

// link adds a call that this peer shares with another one. It is nil where this peer has the call already.
func (p *peer) link(call, address string) *link {
	l := newLink(p, call, address)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.links[call] != nil {
		return nil
	}
	p.links[call], p.heard[address] = l, time.Now()
	return l
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
		if err := p.Conn.Publish(p.topic(address, "-", kindAlive), sure(alive{calls, done})); err != nil {
			p.Log.Debug("cannot report to another process that this one is there", "error", err)
		}
	}
}

// compare compares another peer's list of shared calls with what has arrived here.
func (p *peer) compare(from string, text []byte) {
	var theirs alive
	if json.Unmarshal(text, &theirs) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.heard[from]; ok {
		p.heard[from] = time.Now()
	}
	for _, l := range p.links {
		if l.address != from {
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
