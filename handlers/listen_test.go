package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
)

// listen opens a stream and returns its acknowledgement.
func (d *dialog) listen(id, filter string) string {
	d.t.Helper()
	d.say(id, "subscriptions/listen", "", `"notifications":`+filter)
	return d.hear()
}

func TestAStreamBeginsWithTheAcceptedFilter(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		const ack = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":%s}}`
		is.Equal(d.listen("1", `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["x://y"]}`),
			fmt.Sprintf(ack, "1", `{"toolsListChanged":true}`)) // SL-01, SL-03
		is.Equal(d.listen(`"1"`, `{}`), fmt.Sprintf(ack, `"1"`, `{}`)) // SL-02, SL-10: of its type
		d.listens.Changed(handlers.ToolsChanged)
		d.listens.Changed(handlers.PromptsChanged)
		is.Equal(d.hear(), `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`)
		synctest.Wait()
		is.True(d.quiet()) // SL-03
	})
}

func TestAStreamIsAcknowledgedWhenChangesAreNoticed(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		noticed := make(chan struct{})
		d.listens.Ready = func(ctx context.Context) {
			select {
			case <-noticed:
			case <-ctx.Done():
			}
		}
		d.say("1", "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
		synctest.Wait()
		is.True(d.quiet())                                            // a client notified now must not miss any
		is.Equal(d.ask("2", "server/discover", "", "").Error.Code, 0) // later messages are served
		close(noticed)
		is.True(strings.Contains(d.hear(), "acknowledged"))
	})
}

func TestAListenWithoutAFilterIsRefused(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		for _, params := range []string{``, `"notifications":null`, `"notifications":[]`, `"notifications":{"resourceSubscriptions":[5]}`, `"notifications":{"toolsListChanged":"yes"}`} {
			is.Equal(d.ask("1", "subscriptions/listen", "", params).Error.Code, -32602) // SL-04
		}
	})
}

func TestEveryStreamHasItsOwnCopy(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		d.listen("1", `{"toolsListChanged":true}`)
		d.listen(`"two"`, `{"toolsListChanged":true}`)
		d.listens.Changed(handlers.ToolsChanged)
		is.True(strings.Contains(d.hear(), `subscriptionId":1}`)) // SL-05
		is.True(strings.Contains(d.hear(), `subscriptionId":"two"}`))
	})
}

func TestACancelledStreamIsSilent(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		d.listen("1", `{"toolsListChanged":true}`)
		d.Notify("notifications/cancelled", `{"requestId":1}`)
		synctest.Wait()
		d.listens.Changed(handlers.ToolsChanged)
		is.NoErr(d.Close())
		is.True(d.quiet()) // SL-06, X-02
	})
}

func TestAStreamThatIsCancelledInTheLastLineIsSilent(t *testing.T) {
	for range 50 {
		in(t, func(t *testing.T, is *is.I) {
			d := newDialog(t, asks())
			d.listen("1", `{"toolsListChanged":true}`)
			d.Notify("notifications/cancelled", `{"requestId":1}`)
			is.NoErr(d.Close())
			is.True(d.quiet()) // SL-06
		})
	}
}

func TestTheEndOfTheServerEndsItsStreams(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		d.listen(`"s"`, `{"toolsListChanged":true}`)
		start := time.Now()
		is.NoErr(d.Close())
		is.Equal(time.Since(start), time.Duration(0)) // nothing waits for it
		is.Equal(d.hear(), `{"jsonrpc":"2.0","id":"s","result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"1"},"io.modelcontextprotocol/subscriptionId":"s"},"resultType":"complete"}}`)
		is.Equal(d.hear(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"the server ends","requestId":"s"}}`) // SL-07
		is.Equal(d.hear(), "")
		d.listens.Changed(handlers.ToolsChanged) // SL-08: without a listener
		is.True(d.quiet())
	})
}

func TestTheNumberOfOpenStreamsIsLimited(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		watched := 0
		d.listens.Watch = func(context.Context, string, func()) (func(), error) {
			watched++
			return func() {}, nil
		}
		for i := range 64 {
			d.listen(fmt.Sprint(i), `{}`)
		}
		is.Equal(d.ask("64", "subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["a://"]}`).Error.Code, -32603) // SL-12
		is.Equal(watched, 0)                                                                                                       // a refused listen takes no room
		d.Notify("notifications/cancelled", `{"requestId":5}`)
		synctest.Wait()
		is.True(strings.Contains(d.listen("64", `{}`), "acknowledged")) // there is room again
	})
}

func TestTheNumberOfResourcesOfAStreamIsLimited(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		watched := 0
		d.listens.Watch = func(context.Context, string, func()) (func(), error) {
			watched++
			return nil, errors.New("there is none")
		}
		uris := make([]string, 2000)
		for i := range uris {
			uris[i] = fmt.Sprintf(`"a://%d"`, i)
		}
		d.listen("1", `{"resourceSubscriptions":[`+strings.Join(uris, ",")+`]}`)
		is.Equal(watched, 1024) // looking for a missing resource costs as much
	})
}

func TestTheFilterOfAStreamIsBounded(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		refused := d.ask("1", "subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["x:`+strings.Repeat("x", 512<<10)+`"]}`)
		is.Equal(refused.Error.Code, -32602) // it would be kept while the stream is open
		is.True(strings.Contains(d.listen("2", `{"resourceSubscriptions":["x:`+strings.Repeat("x", 256<<10)+`"]}`), "acknowledged"))
	})
}

func TestAStreamWatchesATaskOnce(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		looked := 0
		d.listens.Task = func(_ context.Context, id string) bool {
			looked++
			return id == "t"
		}
		ids := strings.Repeat(`"t",`, 5000)
		for i := range 2000 {
			ids += fmt.Sprintf(`"%d",`, i)
		}
		d.say("1", "subscriptions/listen", tasking, `"notifications":{"taskIds":[`+strings.TrimSuffix(ids, ",")+`]}`)
		is.True(strings.Contains(d.hear(), `"notifications":{"taskIds":["t"]}`))
		is.Equal(looked, 1024)
	})
}

func TestResourcesAreWatchedAsLongAsTheStreamIsOpen(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		watched, changed := map[string]int{}, map[string]func(){}
		d.listens.Watch = func(_ context.Context, uri string, change func()) (func(), error) {
			if uri == "none://" {
				return nil, errors.New("there is none")
			}
			<-time.After(time.Minute) // it may take long
			watched[uri]++
			changed[uri] = change
			return func() { watched[uri]-- }, nil
		}
		d.say("1", "subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["a://","none://","a://"]}`)
		is.Equal(d.ask("2", "server/discover", "", "").Result.ResultType, "complete")             // others need not wait
		is.True(strings.Contains(d.hear(), `"notifications":{"resourceSubscriptions":["a://"]}`)) // SL-03
		is.Equal(watched["a://"], 1)
		changed["a://"]()
		is.Equal(d.hear(), `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"uri":"a://"}}`) // SL-11
		d.Notify("notifications/cancelled", `{"requestId":1}`)
		synctest.Wait()
		is.Equal(watched["a://"], 0)
		changed["a://"]() // which was found before the stream ended
		is.True(d.quiet())
	})
}

func TestAStreamTakesNoWorker(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		for i := range 10 { // more than there are workers
			d.listen(fmt.Sprint(i), `{}`)
		}
		is.Equal(d.ask("99", "tools/call", "", `"name":"plain"`).Result.ResultType, "complete")
	})
}
