package main

import (
	"strconv"
	"time"
)

// wrap measures mcp-bash wrap in front of the minimal server, beside a relay that only copies (as floor) and that
// server alone (as bare). What is added is the difference to that server in the same round.
func (b *bench) wrap() error {
	ping := b.add(row{name: "wrap: added to a ping, there and back",
		quantile: 0.5, unit: asTime, base: floor, most: float64(45 * time.Microsecond)})
	begin := b.add(row{name: "wrap: added to start → initialize",
		quantile: 0.5, unit: asTime, base: floor, most: float64(15 * time.Millisecond)})
	many := b.add(row{name: "wrap: 64 pings in flight, messages a second, both ways",
		quantile: 0.5, unit: asRate, more: true, base: floor, most: 200_000})
	memory := b.add(row{name: "wrap: resident", quantile: 0.5, unit: asMiB, base: floor, most: 12})
	anonymous := b.add(row{name: "wrap: resident without the program's file", quantile: 0.5, unit: asMiB, base: floor})
	if ping == nil && begin == nil && many == nil && memory == nil && anonymous == nil {
		return nil
	}
	relay := b.binary("relay")
	if err := install(".", "./relay", relay); err != nil {
		return err
	}
	dir, err := b.tools(10)
	if err != nil {
		return err
	}
	server := b.commands[floor](dir)
	subjects := []string{bare, floor, ours}
	commands := map[string][]string{
		bare:  server,
		floor: append([]string{relay}, server...),
		ours:  append([]string{b.binary(ours), "wrap", "--"}, server...),
	}
	if begin != nil {
		for range b.rounds {
			var alone time.Duration
			for _, s := range subjects {
				began := time.Now()
				c, err := open(commands[s])
				if err != nil {
					return err
				}
				alone = begin.added(s, time.Since(began), alone)
				c.close()
			}
		}
	}
	all := map[string]*client{}
	for _, s := range subjects {
		if all[s], err = open(commands[s]); err != nil {
			return err
		}
		defer all[s].close()
	}
	if ping != nil {
		for range b.rounds * 30 {
			var alone time.Duration
			for _, s := range subjects {
				began := time.Now()
				if _, err := all[s].call("ping", "{}"); err != nil {
					return err
				}
				alone = ping.added(s, time.Since(began), alone)
			}
		}
	}
	if many != nil {
		for range b.rounds {
			for _, s := range subjects {
				rate, err := all[s].rate(64, 6400)
				if err != nil {
					return err
				}
				many.put(s, 2*rate)
			}
		}
	}
	for range b.rounds {
		for _, s := range subjects {
			mib, own, err := resident(all[s].cmd.Process.Pid)
			if err != nil {
				return err
			}
			memory.put(s, mib)
			anonymous.put(s, own)
		}
	}
	return nil
}

// added adds the time of a subject: of the bare server, which comes first, as it is, and of others what it is more.
func (r *row) added(subject string, took, alone time.Duration) time.Duration {
	if subject == bare {
		r.series(subject).add(took)
		return took
	}
	r.series(subject).add(took - alone)
	return alone
}

// rate returns how many pings a second are answered while so many are always under way: for each answer another is
// sent, and for those that have come at once with one write.
func (c *client) rate(inFlight, n int) (float64, error) {
	var lines []byte
	began := time.Now()
	for sent, answered, free := 0, 0, inFlight; answered < n; {
		lines = lines[:0]
		for ; free > 0 && sent < n; free-- {
			c.id++
			sent++
			lines = append(lines, `{"jsonrpc":"2.0","id":`...)
			lines = strconv.AppendInt(lines, int64(c.id), 10)
			lines = append(lines, `,"method":"ping"}`+"\n"...)
		}
		if _, err := c.in.Write(lines); err != nil {
			return 0, err
		}
		for first := true; first || c.out.Buffered() > 0; first = false {
			if _, err := c.line(); err != nil {
				return 0, err
			}
			answered++
			free++
		}
	}
	return float64(n) / time.Since(began).Seconds(), nil
}
