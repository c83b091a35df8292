package auth

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTheKeysAreFetchedAtMostOnceInFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		fetches := 0
		client := &http.Client{Transport: &sparing{next: roundTrip(func(*http.Request) (*http.Response, error) {
			fetches++
			<-time.After(time.Second)
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(strconv.Itoa(fetches)))}, nil
		})}}
		get := func(url string) string {
			r, err := client.Get(url)
			is.NoErr(err)
			defer r.Body.Close()
			text, err := io.ReadAll(r.Body)
			is.NoErr(err)
			return string(text)
		}
		is.Equal(get("https://issuer.example/metadata"), "1")
		is.Equal(get("https://issuer.example/keys"), "2") // another URL
		for range 3 {
			is.Equal(get("https://issuer.example/keys"), "2")
		}
		<-time.After(4 * time.Second) // five after the fetch began
		is.Equal(get("https://issuer.example/keys"), "3")
	})
}
