package sdk

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// progress answers mcp_progress: VALUE [MESSAGE] [TOTAL].
func (c *Channel) progress(ctx context.Context, args []string) answer {
	value, percent := strings.CutSuffix(arg(args, 0), "%")
	value, ok := number(value)
	if !ok {
		return helperError(0, "%q is not a number, so no progress is reported", arg(args, 0))
	}
	total, known := number(arg(args, 2))
	if percent && !known {
		total, known = "100", true
	}
	return c.sendProgress(ctx, value, total, known, arg(args, 1))
}

// sendProgress sends progress to the client. Without a total the value is at most 100, as in the Bash program.
func (c *Channel) sendProgress(ctx context.Context, value, total string, known bool, message string) answer {
	if c.call.Progress == nil {
		return silent(0)
	}
	f, _ := strconv.ParseFloat(value, 64)
	switch {
	case f < 0:
		value = "0"
	case f > 100 && (!known || total == "100"):
		value = "100"
	}
	p := mcp.ProgressParams{Progress: json.RawMessage(value), Message: strings.ToValidUTF8(message, "\ufffd")}
	if known {
		p.Total = json.RawMessage(total)
	}
	if err := c.call.Progress(ctx, p); err != nil {
		return helperError(0, "%v", err)
	}
	return silent(0)
}

var isJSONNumber = lazyregexp.New(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// number returns s as a JSON number, also if it is written as shells allow (007, .5, +3).
func number(s string) (string, bool) {
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case isJSONNumber.Get().MatchString(s):
		return s, true
	case err != nil || f != f || strings.Trim(s, "0123456789.+-") != "":
		return "", false
	default:
		return strconv.FormatFloat(f, 'f', -1, 64), true
	}
}

// log answers mcp_log: LEVEL LOGGER JSON. Anything but JSON is logged as text.
func (c *Channel) log(ctx context.Context, args []string) answer {
	return c.tellLog(ctx, arg(args, 0), arg(args, 1), orText(arg(args, 2)))
}

// logText answers mcp_log_info and its like: LEVEL LOGGER TEXT.
func (c *Channel) logText(ctx context.Context, args []string) answer {
	return c.tellLog(ctx, arg(args, 0), arg(args, 1), json.Quote(arg(args, 2)))
}

func (c *Channel) tellLog(ctx context.Context, name, logger string, data json.Value) answer {
	level := mcp.Level(strings.ToLower(name))
	if level == "warn" {
		level = mcp.Warning
	}
	done := silent(0)
	if !level.Valid() {
		done = helperError(0, "%q is not a log level, so it is logged as info; the levels are debug, info, notice, "+
			"warning, error, critical, alert, emergency", name)
		level = mcp.Info
	}
	if c.call.Log != nil {
		p := mcp.LogParams{Level: level, Logger: strings.ToValidUTF8(logger, "\ufffd"), Data: json.RawMessage(data)}
		if err := c.call.Log(ctx, p); err != nil {
			return helperError(0, "%v", err)
		}
	}
	return done
}

// reportNotUTF8 logs, for the operator and for the client, that a helper was given bytes that JSON cannot
// represent: the result has U+FFFD in their place.
func (c *Channel) reportNotUTF8(ctx context.Context, op string) {
	text := "mcp_" + op + " received bytes that are not valid UTF-8 and replaced them with U+FFFD"
	c.server.log().Warn(text)
	c.tellLog(ctx, string(mcp.Warning), "mcp.tools", json.Quote(text))
}

// clock answers with the time of day, which Bash 3.2 cannot get without starting a process.
func clock([]string) answer { return print(time.Now().Format(time.TimeOnly)) }

// maxPause is the longest that a helper sleeps.
const maxPause = 24 * time.Hour

// pause answers after some seconds, which may have a fraction.
func (*Channel) pause(ctx context.Context, args []string) answer {
	secs, err := strconv.ParseFloat(arg(args, 0), 64)
	if err != nil || !(secs >= 0) {
		return helperError(1, "%q is not a number of seconds", arg(args, 0))
	}
	t := time.NewTimer(time.Duration(min(secs, maxPause.Seconds()) * float64(time.Second)))
	defer t.Stop()
	select {
	case <-t.C:
		return silent(0)
	case <-ctx.Done():
		return silent(1)
	}
}

// progressLine answers mcp_run_with_progress for a line that matched its pattern: EXTRACT
// TOTAL LINE [GROUP1 [GROUP2]]. It prints the value that it found. Any line shows that the
// command is alive, even without a value.
func (c *Channel) progressLine(ctx context.Context, args []string) answer {
	if c.call.Alive != nil {
		c.call.Alive()
	}
	line := strings.TrimSpace(arg(args, 2))
	value, total, message := arg(args, 3), arg(args, 1), line
	switch arg(args, 0) {
	case "ratio":
		total = arg(args, 4)
	case "json":
		o, ok := parseObject(json.Value(line))
		if !ok {
			return silent(0)
		}
		value = firstNumber(o, "progress", "percent", "percentage", "current")
		if t := firstNumber(o, "total"); t != "" {
			total = t
		}
		message = o.text("message")
	}
	value, ok := number(strings.TrimSuffix(value, "%"))
	if !ok {
		return silent(0)
	}
	total, known := number(total)
	shown := value
	if known {
		shown += "/" + total
	}
	if arg(args, 5) != "dry-run" {
		c.sendProgress(ctx, value, total, known, message)
	}
	return print(strings.TrimSpace(shown + " " + message))
}

func firstNumber(o object, names ...string) string {
	for _, name := range names {
		if v := o.get(name); v.Kind() == '0' {
			return string(v)
		}
	}
	return ""
}
