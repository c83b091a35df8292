package mcp

import "slices"

// A Level is a log level of the protocol, the names of RFC 5424 (LG-02).
type Level string

const (
	Debug     Level = "debug"
	Info      Level = "info"
	Notice    Level = "notice"
	Warning   Level = "warning"
	Error     Level = "error"
	Critical  Level = "critical"
	Alert     Level = "alert"
	Emergency Level = "emergency"
)

var levels = []Level{Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency}

// Valid reports whether l is one of the eight.
func (l Level) Valid() bool { return slices.Contains(levels, l) }

// Covers reports whether a message of level m is sent if l is asked for; an empty level asks for
// none.
func (l Level) Covers(m Level) bool {
	return l != "" && slices.Index(levels, m) >= slices.Index(levels, l)
}
