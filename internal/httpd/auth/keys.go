package auth

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"time"
)

// keysPause is the least time between the starts of two fetches of the keys.
const keysPause = 5 * time.Second

// A sparing transport answers a request as it has answered the last one if that was for the same URL, less
// than keysPause ago: each token with an unknown key fetches the keys, and anybody can send such tokens.
type sparing struct {
	next http.RoundTripper

	mu    sync.Mutex // guards what follows
	url   string
	began time.Time
	last  http.Response
	body  []byte
	err   error
}

// RoundTrip implements [http.RoundTripper], for requests without a body.
func (s *sparing) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if url := r.URL.String(); s.url != url || time.Since(s.began) >= keysPause {
		s.url, s.began = url, time.Now()
		s.last, s.body, s.err = s.fetch(r)
	}
	if s.err != nil {
		return nil, s.err
	}
	answer := s.last
	answer.Header = s.last.Header.Clone()
	answer.Body = io.NopCloser(bytes.NewReader(s.body))
	return &answer, nil
}

func (s *sparing) fetch(r *http.Request) (http.Response, []byte, error) {
	answer, err := s.next.RoundTrip(r)
	if err != nil {
		return http.Response{}, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return *answer, body, err
}
