package main

import (
	"fmt"
	"time"
)

// rest measures idle servers. All are measured at the same time, since they should
// do nothing.
func (b *bench) rest() error {
	const settle, watched = 3 * time.Second, 10 * time.Second
	for _, n := range []int{10, 10000} {
		memory := b.add(row{name: fmt.Sprintf("memory at rest, %d tools", n), quantile: 0.5, unit: asMiB, base: floor,
			goal: map[int]float64{10: 3.3, 10000: 1.6}[n]})
		private := b.add(row{name: fmt.Sprintf("memory at rest without the program's file, %d tools", n),
			quantile: 0.5, unit: asMiB, base: floor})
		processor := b.add(row{name: fmt.Sprintf("processor time at rest, %d tools", n),
			quantile: 0.5, unit: asPerSecond, base: floor})
		wakes := b.add(row{name: fmt.Sprintf("waits at rest, %d tools", n), quantile: 0.5, unit: asCount, base: floor})
		if memory == nil && private == nil && processor == nil && wakes == nil {
			continue
		}
		dir, err := b.tools(n)
		if err != nil {
			return err
		}
		all, end, err := b.open(dir)
		if err != nil {
			return err
		}
		for _, s := range b.servers {
			if _, err := all[s].list(); err != nil {
				end()
				return err
			}
		}
		time.Sleep(settle)
		before := map[string][2]float64{}
		for _, s := range b.servers {
			before[s] = used(all[s])
		}
		time.Sleep(watched)
		for _, s := range b.servers {
			after := used(all[s])
			whole, anonymous, err := resident(all[s].cmd.Process.Pid)
			if err != nil {
				end()
				return err
			}
			memory.put(s, whole)
			private.put(s, anonymous)
			processor.put(s, (after[0]-before[s][0])/1e6/watched.Seconds())
			wakes.put(s, (after[1]-before[s][1])/watched.Seconds())
		}
		end()
	}
	return nil
}

// used returns the processor time in nanoseconds and the waits of a server so far.
func used(c *client) [2]float64 {
	t, _ := processorTime(c.cmd.Process.Pid)
	n, _ := wakeups(c.cmd.Process.Pid)
	return [2]float64{float64(t), float64(n)}
}

// put records a single value. On a row that was left out it does nothing.
func (r *row) put(subject string, v float64) {
	if r != nil {
		*r.series(subject) = append(*r.series(subject), v)
	}
}
