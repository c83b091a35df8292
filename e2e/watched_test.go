package e2e

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// hangs is a provider that answers only once.
const hangs = `#!/bin/sh
cd "$(dirname "$0")" || exit 1
if [ -e begun ]; then
	exec 3>../alive
	echo hangs >&3
	exec sleep 600
fi
: >begun
echo once
`

func TestAProviderThatHangsDelaysNoOtherSubscription(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	root := newProject(t, map[string]string{"resources/a.txt": "one", "providers/hang.sh": hangs})
	provider := watchTree(t, root)
	updated := make(chan string, 10)
	session := connectTo(t, root, &mcp.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
		updated <- r.Params.URI
	}}, "MCPBASH_RESOURCES_POLL_INTERVAL_SECS=0.2")
	listed, err := session.ListResources(patient(t), nil)
	is.NoErr(err)
	uri := listed.Resources[0].URI
	is.NoErr(session.Subscribe(patient(t), &mcp.SubscribeParams{URI: uri}))
	is.NoErr(session.Subscribe(patient(t), &mcp.SubscribeParams{URI: "hang://x"}))
	line, err := provider.out.ReadString('\n')
	is.NoErr(err)
	is.Equal(line, "hangs\n")
	provider.keep.Close()
	for _, text := range []string{"two", "three"} {
		write(t, filepath.Join(root, "resources", "a.txt"), text)
		is.Equal(next(t, updated), uri)
	}
	is.NoErr(provider.pipe.SetReadDeadline(time.Now().Add(10 * time.Millisecond)))
	_, err = provider.out.ReadByte()
	is.True(errors.Is(err, os.ErrDeadlineExceeded)) // it hangs all the time
	is.NoErr(provider.pipe.SetReadDeadline(time.Now().Add(rig.Patience)))
	is.NoErr(session.Unsubscribe(patient(t), &mcp.UnsubscribeParams{URI: "hang://x"}))
	provider.gone() // it is not needed any more
}

func TestAChangeThatAClientHasReadAndThatIsUndoneIsTold(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	root := newProject(t, map[string]string{"note": "one", "providers/note.sh": "#!/bin/sh\ncat \"$(dirname \"$0\")/../note\"\n"})
	updated := make(chan string, 10)
	session := connectTo(t, root, &mcp.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
		updated <- r.Params.URI
	}}, "MCPBASH_RESOURCES_POLL_INTERVAL_SECS=2")
	is.NoErr(session.Subscribe(patient(t), &mcp.SubscribeParams{URI: "note://x"}))
	read := func() string {
		result, err := session.ReadResource(patient(t), &mcp.ReadResourceParams{URI: "note://x"})
		is.NoErr(err)
		return result.Contents[0].Text
	}
	write(t, filepath.Join(root, "note"), "two")
	is.Equal(read(), "two")
	write(t, filepath.Join(root, "note"), "one") // before the next poll, as a rule
	is.Equal(next(t, updated), "note://x")
	is.Equal(read(), "one")
}
