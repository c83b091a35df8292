// Relay starts a server and copies what passes, both ways: the least that can be between it and its client, as a floor
// for mcp-bash wrap.
package main

import (
	"io"
	"log"
	"os"
	"os/exec"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		log.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	go func() {
		pass(in, os.Stdin)
		in.Close()
	}()
	pass(os.Stdout, out)
	if err := cmd.Wait(); err != nil {
		log.Fatal(err)
	}
}

// pass copies with a buffer: without it, the kernel moves the bytes and nobody could look at them.
func pass(to io.Writer, from io.Reader) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}
