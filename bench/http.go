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
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/bench/project"
)

// httpClients is the number of concurrent sessions.
const httpClients = 16

// http measures mcp-http and the HTTP servers of both libraries: sequential requests, and many
// clients at once. In these rows ours is mcp-http.
func (b *bench) http() error {
	p50 := b.add(row{name: "HTTP: a ping in a session, p50", quantile: 0.5, unit: asTime, base: goSDK, goal: 1})
	p99 := b.add(row{name: "HTTP: a ping in a session, p99", quantile: 0.99, unit: asTime, base: goSDK})
	rate := b.add(row{name: fmt.Sprintf("HTTP: pings of %d sessions, requests a second", httpClients), quantile: 0.5, unit: asRate, more: true, base: goSDK, goal: 1})
	call50 := b.add(row{name: "HTTP: call of a no-op sh script, p50", quantile: 0.5, unit: asTime, base: goSDK})
	call99 := b.add(row{name: "HTTP: call of a no-op sh script, p99", quantile: 0.99, unit: asTime, base: goSDK})
	if p50 == nil && p99 == nil && rate == nil && call50 == nil && call99 == nil {
		return nil
	}
	dir, err := b.callsProject()
	if err != nil {
		return err
	}
	program, err := b.mcpHTTP()
	if err != nil {
		return err
	}
	servers := []string{ours, goSDK, mcpGo}
	all := make(map[string][]*httpClient)
	for _, s := range servers {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		address := listener.Addr().String()
		listener.Close()
		argv := append(b.commands[s](dir), address)
		if s == ours {
			argv = []string{program, "--project", dir, "--listen", address, "--production"}
		}
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
				return fmt.Errorf("%s: %w", s, err)
			}
			all[s] = append(all[s], c)
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
				if err := all[s][0].call(one.method, one.params); err != nil {
					return fmt.Errorf("%s: %w", s, err)
				}
				took := float64(time.Since(began))
				one.p50.put(s, took)
				one.p99.put(s, took)
			}
		}
	}
	for range b.rounds {
		for _, s := range servers {
			const each = 100
			began := time.Now()
			var sending sync.WaitGroup
			failed := make(chan error, httpClients)
			for _, c := range all[s] {
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
				return fmt.Errorf("%s: %w", s, err)
			}
			rate.put(s, httpClients*each/time.Since(began).Seconds())
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
		err := c.call("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
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
