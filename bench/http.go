package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/bench/project"
)

// httpClients is the number of concurrent sessions.
const httpClients = 16

// http measures mcp-http and the HTTP servers of both libraries. In these rows ours is mcp-http. Then it is measured
// with an audit and figures beside itself without them, or beside the earlier one that -before names.
func (b *bench) http() error {
	plain := func(dir, address string) []string {
		return []string{b.binary("mcp-http"), "--project", dir, "--listen", address, "--production"}
	}
	library := func(name string) httpServer {
		return httpServer{name, func(dir, address string) []string { return append(b.commands[name](dir), address) }}
	}
	err := b.httpRows("HTTP", goSDK, 1, 0, httpServer{ours, plain}, library(goSDK), library(mcpGo))
	if err != nil {
		return err
	}
	if b.before != "" {
		return b.httpRows("HTTP beside -before", bare, 1.05, 1.05, httpServer{ours, plain}, httpServer{bare,
			func(dir, address string) []string { return append([]string{b.before}, plain(dir, address)[1:]...) }})
	}
	recorded := func(dir, address string) []string {
		return append(plain(dir, address), "--audit", filepath.Join(b.dir, "audit"), "--metrics-listen", "127.0.0.1:0")
	}
	return b.httpRows("HTTP with an audit and figures", bare, 1.1, 1.1,
		httpServer{ours, recorded}, httpServer{bare, plain})
}

// An httpServer is a subject of the rows.
type httpServer struct {
	name    string
	command func(dir, address string) []string
}

// httpRows measures sequential requests, and many clients at once.
func (b *bench) httpRows(name, base string, goal, callGoal float64, servers ...httpServer) error {
	p50 := b.add(row{name: name + ": a ping in a session, p50", quantile: 0.5, unit: asTime, base: base, goal: goal})
	p99 := b.add(row{name: name + ": a ping in a session, p99", quantile: 0.99, unit: asTime, base: base})
	rate := b.add(row{name: fmt.Sprintf("%s: pings of %d sessions, requests a second", name, httpClients),
		quantile: 0.5, unit: asRate, more: true, base: base, goal: 1 / goal})
	call50 := b.add(row{name: name + ": call of a no-op sh script, p50",
		quantile: 0.5, unit: asTime, base: base, goal: callGoal})
	call99 := b.add(row{name: name + ": call of a no-op sh script, p99", quantile: 0.99, unit: asTime, base: base})
	if p50 == nil && p99 == nil && rate == nil && call50 == nil && call99 == nil {
		return nil
	}
	dir, err := b.callsProject()
	if err != nil {
		return err
	}
	if _, err := b.mcpHTTP(); err != nil {
		return err
	}
	all := make(map[string][]*httpClient)
	for _, s := range servers {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		address := listener.Addr().String()
		listener.Close()
		argv := s.command(dir, address)
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "MCPBASH_LOG_CALLS=false")
		if err := cmd.Start(); err != nil {
			return err
		}
		defer func() {
			cmd.Process.Kill()
			cmd.Wait()
		}()
		for range httpClients {
			c, err := openHTTP("http://" + address + "/mcp")
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			all[s.name] = append(all[s.name], c)
		}
	}
	for _, one := range []struct {
		p50, p99 *row
		method   string
		params   string
		times    int
	}{{p50, p99, "ping", "{}", 100}, {call50, call99, "tools/call", `{"name":"` + project.Sh + `","arguments":{}}`, 10}} {
		for range max(b.rounds*one.times, 400) { // with fewer, the p99 is one of the slowest two or three
			for _, s := range servers {
				began := time.Now()
				if err := all[s.name][0].call(one.method, one.params); err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
				took := float64(time.Since(began))
				one.p50.put(s.name, took)
				one.p99.put(s.name, took)
			}
		}
	}
	for range b.rounds {
		for _, s := range servers {
			const each = 100
			began := time.Now()
			var sending sync.WaitGroup
			failed := make(chan error, httpClients)
			for _, c := range all[s.name] {
				sending.Go(func() {
					for range each {
						if err := c.call("ping", "{}"); err != nil {
							failed <- err
							return
						}
					}
				})
			}
			sending.Wait()
			close(failed)
			if err := <-failed; err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			rate.put(s.name, httpClients*each/time.Since(began).Seconds())
		}
	}
	return nil
}

// mcpHTTP installs mcp-http.
func (b *bench) mcpHTTP() (program string, err error) {
	program = b.binary("mcp-http")
	return program, install("..", "./cmd/mcp-http", program)
}

// An httpClient is a session over HTTP with its own connection.
type httpClient struct {
	url, session string
	client       *http.Client
	last         int
}

// openHTTP begins a session with a server that is being started.
func openHTTP(url string) (*httpClient, error) {
	c := &httpClient{url: url, client: &http.Client{Transport: &http.Transport{}}}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for {
		err := c.call("initialize",
			`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
		if err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(10 * time.Millisecond):
		}
	}
	return c, c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "")
}

// call sends a request and reads the response to its end.
func (c *httpClient) call(method, params string) error {
	c.last++
	return c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.last, method, params), `"result"`)
}

func (c *httpClient) post(body, want string) error {
	r, err := http.NewRequest("POST", c.url, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	answer, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if id := answer.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	if answer.StatusCode >= 300 || !bytes.Contains(text, []byte(want)) {
		return fmt.Errorf("%s: %s %s", body, answer.Status, text)
	}
	return nil
}
