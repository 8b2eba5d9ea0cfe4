package history

import (
	"context"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
)

// The words that no message may hold.
const secret = "hunter2/%s&"

func TestPostgresPasswordsAreNeverPrinted(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	listener.Close()
	escaped := url.QueryEscape(secret)
	for _, c := range []struct{ place, want, reason string }{
		{"postgres://ann:" + escaped + "@" + closed + "/team", "cannot be reached", "nobody listens"},
		{"postgresql://ann:" + escaped + "@" + closed + "/team?sslmode=disable", "postgresql://ann@" + closed + "/team", "the place is named"},
		{"postgres://" + closed + "/team?user=ann&password=" + escaped, "cannot be reached", "as a parameter"},
		{"postgres://ann:" + escaped + "@" + closed + "/team?sslmode=maybe", "cannot be read", "a bad parameter"},
		{"postgres://ann:" + secret + "@" + closed + "/team", "cannot be read", "not escaped, so that it is no URL"},
		{"postgres://ann:" + escaped + "@%%/team", "cannot be read", "a host that is none"},
	} {
		_, err := Open(context.Background(), c.place, Write)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.reason, err, c.want)
			continue
		}
		for _, form := range []string{secret, escaped, url.PathEscape(secret), "hunter2"} {
			if strings.Contains(err.Error(), form) {
				t.Errorf("%s: the password is in %q", c.reason, err)
			}
		}
	}
}

func TestPostgresErrorsSayWhatToDo(t *testing.T) {
	server := os.Getenv(serverVariable)
	if server == "" {
		return // scripts/databases runs this with a server
	}
	changed := func(change func(u *url.URL, q url.Values)) string {
		u, err := url.Parse(server)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		change(u, q)
		u.RawQuery = q.Encode()
		return u.String()
	}
	for _, c := range []struct{ place, want, reason string }{
		{changed(func(u *url.URL, _ url.Values) { u.User = url.UserPassword("tribunal", "hunter2") }), "refuses this user or password", "a wrong password"},
		{changed(func(u *url.URL, _ url.Values) { u.Path = "/none" }), "no such database", "a database that is not there"},
		{changed(func(_ *url.URL, q url.Values) { q.Set("search_path", "none") }), "no such schema", "a schema that is not there"},
		{changed(func(_ *url.URL, q url.Values) { q.Set("default_transaction_read_only", "on") }), "read-only", "a server that may not be written"},
	} {
		_, err := Open(context.Background(), c.place, Write)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v; want %q", c.reason, err, c.want)
		}
	}
}
