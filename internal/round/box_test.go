package round_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/round"
)

type secret struct {
	Text json.RawMessage `json:"t"`
	N    int             `json:"n"`
}

func box(t *testing.T, key []byte) *round.Box {
	t.Helper()
	b, err := round.NewBox(key)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestABoxOpensOnlyWhatItHasSealed(t *testing.T) {
	is := is.New(t)
	b := box(t, round.NewKey())
	sealed, err := b.Seal(secret{json.RawMessage(`"x"`), 5})
	is.NoErr(err)
	is.True(!strings.Contains(sealed, "x\"")) // it does not reveal the state
	var got secret
	is.NoErr(b.Open(sealed, &got))
	is.Equal(string(got.Text), `"x"`)
	is.Equal(got.N, 5)
	for _, text := range []string{
		"", "A", "AAAA", sealed + "-X", sealed + "A", sealed[1:], sealed[:len(sealed)-1], sealed + "==",
		"A" + sealed[1:], strings.ToUpper(sealed), sealed + sealed, strings.Repeat("A", 1<<20), "{}", "\x00", "é",
	} {
		if text != sealed {
			is.True(errors.Is(b.Open(text, &got), round.ErrForged)) // MR-05
		}
	}
	is.True(errors.Is(box(t, round.NewKey()).Open(sealed, &got), round.ErrForged)) // nor does one with another key
}

func TestABoxOpensOnlyTheExactText(t *testing.T) {
	is := is.New(t)
	b := box(t, round.NewKey())
	for _, text := range []string{`"\ud800"`, "\"\xff\"", `{"a":1,"a":2}`, `"\u0041"`} {
		sealed, err := b.Seal(secret{Text: json.RawMessage(text)})
		is.NoErr(err)
		var got secret
		is.NoErr(b.Open(sealed, &got))
		is.Equal(len(got.Text) > 2, true)
	}
}

func TestTheSameStateIsNeverSealedTheSameWay(t *testing.T) {
	is := is.New(t)
	b := box(t, round.NewKey())
	one, _ := b.Seal(secret{N: 1})
	other, _ := b.Seal(secret{N: 1})
	is.True(one != other)
}

func FuzzOpen(f *testing.F) {
	b, _ := round.NewBox(make([]byte, round.KeySize))
	sealed, _ := b.Seal(secret{N: 1})
	f.Add(sealed)
	f.Add("")
	f.Add("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, text string) {
		var got secret
		if b.Open(text, &got) == nil && got.N != 1 {
			t.Errorf("opened %q", text) // MR-05
		}
	})
}

func TestServersShareTheKeyInAFile(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "new", "state.key")
	var servers sync.WaitGroup
	keys := make([]string, 16)
	for i := range keys {
		servers.Go(func() {
			key, err := round.LoadKey(path)
			if err != nil {
				t.Error(err)
			}
			keys[i] = string(key)
		})
	}
	servers.Wait()
	for _, key := range keys {
		is.Equal(key, keys[0]) // MR-08: even if they start at the same time
	}
	is.Equal(len(keys[0]), round.KeySize)
	left, err := os.ReadDir(filepath.Dir(path))
	is.NoErr(err)
	is.Equal(len(left), 1) // no temporary files
	if info, err := left[0].Info(); err == nil && runtime.GOOS != "windows" {
		is.Equal(info.Mode().Perm(), os.FileMode(0o600)) // only for its owner
	}
}

func TestABrokenKeyFileIsReportedAndKept(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "state.key")
	is.NoErr(os.WriteFile(path, []byte("short"), 0o600))
	_, err := round.LoadKey(path)
	is.Equal(err.Error(), path+" has 5 bytes, not 32; delete it to get a new one")
	text, _ := os.ReadFile(path)
	is.Equal(string(text), "short") // it may be another file of the user
	_, err = round.LoadKey(filepath.Dir(path))
	is.True(err != nil) // a folder is not a key
	_, err = round.LoadKey(filepath.Join(path, "below"))
	is.True(err != nil) // nor can one be created below a file
}

func TestAKeyThatOthersCanReadIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no mode that lets other users read a file")
	}
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "state.key")
	_, err := round.LoadKey(path)
	is.NoErr(err)
	is.NoErr(os.Chmod(path, 0o604))
	_, err = round.LoadKey(path)
	is.Equal(err.Error(), path+" can be read or written by others; run chmod 600 "+path+"; whoever has the key can forge request states")
}

func TestAKeyOfAnotherSizeMakesNoBox(t *testing.T) {
	is := is.New(t)
	_, err := round.NewBox([]byte("short"))
	is.True(err != nil)
}

func TestAOneTimeValueIsUsedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var u round.Used
		expires := time.Now().Add(time.Minute)
		is.True(u.First("a", expires))
		is.True(!u.First("a", expires)) // MR-07
		is.True(u.First("b", expires))
		<-time.After(time.Minute)
		is.True(u.First("c", expires.Add(time.Hour)))
		is.True(!u.First("a", expires)) // as long as the state may be valid
		<-time.After(time.Minute)
		is.True(u.First("d", expires.Add(time.Hour)))
		is.True(u.First("a", expires)) // forgotten, since it has expired
	})
}

func TestOneOfManyUsersIsTheFirst(t *testing.T) {
	is := is.New(t)
	var u round.Used
	first := make(chan bool, 8)
	for range 8 {
		go func() { first <- u.First("a", time.Now().Add(time.Hour)) }()
	}
	n := 0
	for range 8 {
		if <-first {
			n++
		}
	}
	is.Equal(n, 1) // MR-07
}
