package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// converse runs a program on a terminal, with a person who reads and types:
//
//	converse dialogue program [args...]
//
// Each line of the dialogue is `see REGEXP`, which waits for text behind what was seen
// before, `type TEXT`, which ends with return, or `press KEYS`. Afterwards the file
// screen has what was written, and the file text the same without what steers terminals.
func converse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: converse dialogue program [args...]")
	}
	master, tty, err := pty.Open()
	ts.Check(err)
	ts.Check(pty.Setsize(master, &pty.Winsize{Cols: 80, Rows: 24}))
	defer master.Close()
	program := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, args[1])); err == nil {
			program = filepath.Join(dir, args[1])
			break
		}
	}
	cmd := exec.Command(program, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "TERM", "WORK", "NO_COLOR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	ts.Check(cmd.Start())
	tty.Close()
	p := &person{terminal: master, news: make(chan struct{}, 1), ended: make(chan struct{})}
	go p.read()
	defer func() {
		ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(p.said()), 0o600))
		ts.Check(os.WriteFile(ts.MkAbs("text"), []byte(written(p.said())), 0o600))
	}()
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := p.does(line); err != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			ts.Fatalf("%s: %v; the terminal shows:\n%s", line, err, written(p.said()))
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
		<-p.ended // what it wrote last
	case <-time.After(forEver):
		_ = cmd.Process.Kill()
		err = errors.New("it does not end")
	}
	if err != nil {
		ts.Fatalf("%v; the terminal shows:\n%s", err, written(p.said()))
	}
}

// forEver is how long a person waits for something that does not come.
const forEver = time.Minute

type person struct {
	terminal *os.File
	news     chan struct{}
	ended    chan struct{} // closed when nobody has the terminal any more

	mu   sync.Mutex
	text strings.Builder
	seen int // bytes of the written text
}

func (p *person) read() {
	defer close(p.ended)
	b := make([]byte, 4096)
	for {
		n, err := p.terminal.Read(b)
		p.mu.Lock()
		p.text.Write(b[:n])
		p.mu.Unlock()
		select {
		case p.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (p *person) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func (p *person) does(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "see":
		return p.see(rest)
	case "type":
		_, err := io.WriteString(p.terminal, rest+"\r")
		return err
	case "press":
		keys := strings.NewReplacer("ctrl-c", "\x03", "ctrl-d", "\x04", "tab", "\t", "return", "\r", "up", "\x1b[A", " ", "").Replace(rest)
		_, err := io.WriteString(p.terminal, keys)
		return err
	}
	return errors.New("a dialogue has see, type and press")
}

func (p *person) see(expression string) error {
	r, err := regexp.Compile("(?m)" + expression)
	if err != nil {
		return err
	}
	late := time.After(forEver)
	for {
		text := written(p.said())
		if at := r.FindStringIndex(text[min(p.seen, len(text)):]); at != nil {
			p.seen += at[1]
			return nil
		}
		select {
		case <-p.news:
		case <-late:
			return errors.New("it does not come")
		}
	}
}

var steering = regexp.MustCompile(`^\x1b\[([0-9;?]*)([A-Za-z])`)

// written is every line that a terminal has shown, in the order in which they were
// complete or cleared.
func written(text string) string {
	var all strings.Builder
	var line []rune
	column := 0
	end := func() {
		all.WriteString(string(line) + "\n")
		line, column = nil, 0
	}
	for text != "" {
		if m := steering.FindStringSubmatch(text); m != nil {
			text = text[len(m[0]):]
			n, err := strconv.Atoi(m[1])
			if err != nil {
				n = 1
			}
			switch m[2] {
			case "D":
				column = max(0, column-n)
			case "C":
				column = min(len(line), column+n)
			case "H":
				end()
			case "K", "J":
				if column < len(line) {
					kept := slices.Clone(line[:column])
					end()
					line, column = kept, len(kept)
				}
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch r {
		case '\n':
			end()
		case '\r':
			column = 0
		case '\x1b': // the rest of it has not come yet
			text = ""
		default:
			line = append(line[:column], r)
			column++
		}
	}
	return all.String() + string(line)
}
