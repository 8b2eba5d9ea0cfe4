package command_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tribunal/command"
)

// TestCommentIsPostedOnce: the first call posts, the next one updates, a fork is no error,
// and a system that is down is one.
func TestCommentIsPostedOnce(t *testing.T) {
	body, status := "", 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var said struct{ Body string }
		switch {
		case status != 0:
			w.WriteHeader(status)
		case r.Method == http.MethodGet && body == "":
			fmt.Fprint(w, "[]")
		case r.Method == http.MethodGet:
			json.NewEncoder(w).Encode([]map[string]any{{"id": 5, "body": body}})
		case json.NewDecoder(r.Body).Decode(&said) == nil:
			body = said.Body
		}
	}))
	defer server.Close()
	for _, c := range []struct {
		status, code int
		out, errs    string
	}{
		{0, 0, "posted the comment on pull request 7 of acme/shop\n", ""},
		{0, 0, "updated the comment on pull request 7 of acme/shop\n", ""},
		{403, 0, "", "nothing was posted on pull request 7 of acme/shop, because " + strings.TrimPrefix(server.URL, "http://") +
			" answered 403 Forbidden; GITHUB_TOKEN needs the permission pull-requests: write, which jobs of forks do not get\n"},
		{503, 2, "", "answered 503 Service Unavailable: try again later"},
	} {
		var out, errs strings.Builder
		status = c.status
		code := command.Main([]string{"tribunal", "comment", "github", "../testdata/streams/weather-agent.ndjson"}, command.Env{Stdout: &out, Stderr: &errs,
			Getenv: func(name string) string {
				return map[string]string{"GITHUB_API_URL": server.URL, "GITHUB_REPOSITORY": "acme/shop", "GITHUB_REF": "refs/pull/7/merge",
					"GITHUB_TOKEN": "s3cr3t", "GITHUB_JOB": "evals -->", "GITHUB_SERVER_URL": "https://github.example", "GITHUB_RUN_ID": "9"}[name]
			}})
		if code != c.code || out.String() != c.out || !strings.Contains(errs.String(), c.errs) || strings.Contains(errs.String(), "s3cr3t") {
			t.Errorf("%d: exit %d: %q %q", c.status, code, out.String(), errs.String())
		}
	}
	for _, want := range []string{"<!-- tribunal comment: evals ___ -->\n## ", `<a href="https://github.example/acme/shop/actions/runs/9">Job</a>`} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in %.500s", want, body)
		}
	}
}
