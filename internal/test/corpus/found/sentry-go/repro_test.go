package sentry

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/getsentry/sentry-go"
)

type noNetwork struct{}

func (noNetwork) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no network")
}

// TestClose closes a client that has nothing to send. With sleep.diff it fails.
func TestClose(t *testing.T) {
	c, err := sentry.NewClient(sentry.ClientOptions{Dsn: "https://key@example.org/1", Release: "1", HTTPTransport: noNetwork{}})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	c.Close()
	if took := time.Since(begin); took >= 5*time.Second {
		t.Errorf("Close of a client that has nothing to send took %v", took)
	}
}
