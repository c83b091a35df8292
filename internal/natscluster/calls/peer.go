package calls

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strconv"
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
	// Beat is the interval of heartbeats, Patience the time after which a call whose other end is silent is given
	// up. Zero: 1 s and 30 s.
	Beat, Patience time.Duration
	Log            *slog.Logger
}

const (
	defaultBeat = time.Second
	// DefaultPatience is the default of Options.
	DefaultPatience = 30 * time.Second
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
	links map[string]*link // by call
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
		o.Patience = DefaultPatience
	}
	if n := o.Conn.MaxPayload(); n < leastPayload {
		return nil, fmt.Errorf("the NATS server allows messages of %d bytes only: set its max_payload to %d or more", n,
			leastPayload)
	}
	p := &peer{
		Options: o, address: role + "." + o.Name + "." + rand.Text(), offers: offers, stop: make(chan struct{}),
		links: make(map[string]*link),
	}
	var err error
	if p.inbox, err = o.Conn.Subscribe(p.subject(p.address)+".>", p.receive); err != nil {
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

// reply returns the subject to which NATS reports that nobody receives a message to a peer.
func (p *peer) reply(address, call string, k kind) string {
	return p.subject(p.address) + address[len("w"):] + "." + call + "." + string(k)
}

// parse returns the parts of a subject that topic has made for this peer. The sender has the other role. Messages of
// a link have a number behind it.
func (p *peer) parse(subject string) (from, call string, k kind, number uint64) {
	parts := strings.Split(strings.TrimPrefix(subject, p.subject("")), ".")
	if len(parts) < 7 { // role, name, id, the sender's name and id, call, kind
		return "", "", "", 0
	}
	if len(parts) > 7 {
		number, _ = strconv.ParseUint(parts[7], 10, 64) // a message without a number is not the next one
	}
	role := "w."
	if p.address[0] == 'w' {
		role = "r."
	}
	return role + parts[3] + "." + parts[4], parts[5], kind(parts[6]), number
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
	from, call, k, number := p.parse(m.Subject)
	if k == kindOffer || k == kindTaken || k == kindRefused {
		p.offers(from, call, k, m)
		return
	}
	p.mu.Lock()
	l := p.links[call]
	p.mu.Unlock()
	known := l != nil && l.address == from // only the worker that has a call can say how it goes
	switch {
	case unreceived(m):
		if known {
			l.nobody()
		}
	case !known && k == kindAck:
		_ = p.Conn.Publish(p.topic(from, call, kindGone), nil) // if this fails the other end asks again
	case known && k == kindGone:
		l.fail(errEnded{l.name})
	case known:
		l.receive(k, number, m.Data)
	}
}

// unreceived reports whether a message says that nobody has received one of this peer.
func unreceived(m *nats.Msg) bool { return m.Header.Get("Status") == "503" }

// link adds a call that this peer shares with another one. It is nil where this peer has the call already.
func (p *peer) link(call, address string) *link {
	l := newLink(p, call, address)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.links[call] != nil {
		return nil
	}
	p.links[call] = l
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

// beat has all links beat.
func (p *peer) beat() {
	tick := time.NewTicker(p.Beat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-p.stop:
			return
		}
		p.mu.Lock()
		links := slices.Collect(maps.Values(p.links))
		p.mu.Unlock()
		for _, l := range links {
			l.beat()
		}
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

// errEnded ends a call that the other peer has ended.
type errEnded struct{ name string }

func (e errEnded) Error() string { return fmt.Sprintf("%s has ended the call", e.name) }
