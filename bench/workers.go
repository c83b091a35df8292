package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/mcp-bash/mcp-bash/v2/bench/project"
)

const (
	// workerClients is the number of sessions that call tools at once, workerSlots the number of calls
	// that each worker, and a replica without workers, runs at once.
	workerClients = 64
	workerSlots   = 8
	mostWorkers   = 3
)

// workers measures calls over HTTP that a replica runs itself, or sends to one, two and three workers on
// the same machine. It uses a script that does nothing, for which the processors are the limit, and one that
// takes a while, for which the slots are.
func (b *bench) workers() error {
	type load struct {
		tool  string
		calls int
		rows  [mostWorkers + 1]*row
	}
	loads := []*load{{tool: project.Sh, calls: 640}, {tool: project.Nap, calls: 320}}
	wanted := false
	for _, l := range loads {
		what := "a no-op sh script"
		if l.tool == project.Nap {
			what = fmt.Sprintf("a script of 50 ms, %d slots each", workerSlots)
		}
		for n := range l.rows {
			by := fmt.Sprintf("%d workers", n)
			switch n {
			case 0:
				by = "no worker"
			case 1:
				by = "1 worker"
			}
			l.rows[n] = b.add(row{
				name:     fmt.Sprintf("workers: %s, %d sessions, calls a second, %s", what, workerClients, by),
				quantile: 0.5,
				unit:     asRate,
				more:     true,
			})
			wanted = wanted || l.rows[n] != nil
		}
	}
	if !wanted {
		return nil
	}
	dir, err := b.project("workers", project.MakeWorkers)
	if err != nil {
		return err
	}
	program, err := b.mcpHTTP()
	if err != nil {
		return err
	}
	nats, err := natsserver.NewServer(&natsserver.Options{
		Host:      "127.0.0.1",
		Port:      natsserver.RANDOM_PORT,
		JetStream: true,
		StoreDir:  filepath.Join(b.dir, "nats"),
		NoLog:     true,
		NoSigs:    true,
	})
	if err != nil {
		return err
	}
	go nats.Start()
	defer nats.Shutdown()
	if !nats.ReadyForConnections(10 * time.Second) {
		return fmt.Errorf("the NATS server does not start")
	}
	for n := range mostWorkers + 1 {
		// A separate name for each number of workers, so that workers of other measurements take none of
		// its calls.
		common := []string{"--project", dir, "--cluster", nats.ClientURL(), "--cluster-name", fmt.Sprintf("bench-%d", n)}
		sessions, end, err := b.replica(program, n > 0, common)
		if err != nil {
			return err
		}
		for i := range n {
			stop, err := b.launch(program, append(common,
				"--worker", "--replica", fmt.Sprintf("w%d", i), "--slots", fmt.Sprint(workerSlots))...)
			if err != nil {
				end()
				return err
			}
			defer stop()
		}
		for _, l := range loads {
			if err := callAll(sessions, l.tool, workerClients); err != nil { // waits for the workers
				end()
				return err
			}
			for range max(3, b.rounds/6) {
				began := time.Now()
				if err := callAll(sessions, l.tool, l.calls); err != nil {
					end()
					return err
				}
				l.rows[n].put(ours, float64(l.calls)/time.Since(began).Seconds())
			}
		}
		end()
	}
	return nil
}

// replica starts a replica and opens sessions with it.
func (b *bench) replica(program string, remote bool, common []string) (sessions []*httpClient, end func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	address := listener.Addr().String()
	listener.Close()
	args := append(common, "--listen", address, "--production", "--replica", "a")
	if remote {
		args = append(args, "--use-workers")
	}
	if end, err = b.launch(program, args...); err != nil {
		return nil, nil, err
	}
	for range workerClients {
		c, err := openHTTP("http://" + address + "/mcp")
		if err != nil {
			end()
			return nil, nil, err
		}
		sessions = append(sessions, c)
	}
	return sessions, end, nil
}

// launch starts a program, and returns a function that ends it.
func (b *bench) launch(program string, args ...string) (end func(), err error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(),
		"MCPBASH_LOG_CALLS=false",
		"MCPBASH_STATE_KEY_FILE="+filepath.Join(b.dir, "state.key"),
		fmt.Sprintf("MCPBASH_MAX_CONCURRENT_REQUESTS=%d", workerSlots))
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		cmd.Process.Kill()
		cmd.Wait()
	}, nil
}

// callAll calls a tool as many times as calls, in all sessions at once.
func callAll(sessions []*httpClient, tool string, calls int) error {
	failed := make(chan error, len(sessions))
	var calling sync.WaitGroup
	for _, c := range sessions {
		calling.Go(func() {
			for range calls / len(sessions) {
				if err := c.call("tools/call", `{"name":"`+tool+`","arguments":{}}`); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	calling.Wait()
	close(failed)
	return <-failed
}
