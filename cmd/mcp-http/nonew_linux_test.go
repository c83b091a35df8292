package main

import (
	"net"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestBeforeTheEndNoConnectionBeginsAndThoseThatWaitAreAccepted(t *testing.T) {
	is := is.New(t)
	var config net.ListenConfig
	config.SetMultipathTCP(false)
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	is.NoErr(err)
	defer l.Close()
	waiting, err := net.Dial("tcp", l.Addr().String())
	is.NoErr(err)
	defer waiting.Close()
	noNew(l)
	_, err = net.DialTimeout("tcp", l.Addr().String(), 200*time.Millisecond)
	is.True(err != nil)
	accepted, err := l.Accept()
	is.NoErr(err)
	accepted.Close()
}
