package comment

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const token, limited = "s3cr3t-t0ken", 1000 // limited is added to a status that comes with a time to wait

// standIn answers as GitHub and GitLab do: list with pages, create and update, each with
// the paths, methods and headers of its manual.
type standIn struct {
	t      *testing.T
	bodies []string // of comments, by id from 1 on
	asked  []string
	status int // 0 to work
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked = append(s.asked, r.Method+" "+r.URL.RequestURI())
	gitHub := strings.HasPrefix(r.URL.Path, "/repos/")
	if got := map[bool]string{true: r.Header.Get("Authorization"), false: r.Header.Get("PRIVATE-TOKEN")}[gitHub]; !strings.HasSuffix(got, token) {
		s.t.Errorf("the token is %q", got)
	}
	if s.status != 0 {
		w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
		w.Header().Set("Retry-After", map[bool]string{true: "60"}[s.status > limited])
		w.WriteHeader(s.status % limited)
		fmt.Fprintf(w, `{"message":"%s is not welcome"}`, token)
		return
	}
	var said struct{ Body string }
	if r.Method != http.MethodGet {
		if err := json.NewDecoder(r.Body).Decode(&said); err != nil || said.Body == "" {
			s.t.Errorf("body: %v", err)
		}
	}
	list := "/repos/acme/shop/issues/7/comments"
	one, update := "/repos/acme/shop/issues/comments/", http.MethodPatch
	if !gitHub {
		list = "/projects/42/merge_requests/7/notes"
		one, update = list+"/", http.MethodPut
	}
	id, isOne := strings.CutPrefix(r.URL.Path, one)
	switch {
	case r.Method == http.MethodGet && r.URL.Path == list:
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		most, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		found := []map[string]any{}
		for i := (page - 1) * most; i < min(page*most, len(s.bodies)); i++ {
			found = append(found, map[string]any{"id": i + 1, "body": s.bodies[i], "system": strings.HasPrefix(s.bodies[i], "<!-- m -->\nsystem")})
		}
		json.NewEncoder(w).Encode(found)
	case r.Method == http.MethodPost && r.URL.Path == list:
		s.bodies = append(s.bodies, said.Body)
		w.WriteHeader(http.StatusCreated)
	case r.Method == update && isOne:
		n, _ := strconv.Atoi(id)
		s.bodies[n-1] = said.Body
	default:
		s.t.Errorf("%s %s is no request of the manual", r.Method, r.URL)
	}
}

func environment(url string) map[string]string {
	return map[string]string{"GITHUB_API_URL": url, "GITHUB_REPOSITORY": "acme/shop", "GITHUB_REF": "refs/pull/7/merge", "GITHUB_TOKEN": token,
		"CI_API_V4_URL": url + "/", "CI_PROJECT_ID": "42", "CI_MERGE_REQUEST_IID": "7", "GITLAB_TOKEN": token}
}

func threads(t *testing.T, url string) []*Thread {
	t.Helper()
	env := environment(url)
	var all []*Thread
	for _, of := range []func(func(string) string, int) (*Thread, error){GitHub, GitLab} {
		thread, err := of(func(name string) string { return env[name] }, 0)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, thread)
	}
	return all
}

// TestOneCommentStays: the first call posts, the next ones update, also where the comment
// is on the third page behind others that only quote the mark.
func TestOneCommentStays(t *testing.T) {
	for i := range 2 {
		s := &standIn{t: t, bodies: []string{"somebody quotes <!-- m -->", "<!-- m -->\nsystem note"}}
		if i == 0 {
			s.bodies[1] = "> <!-- m -->"
		}
		server := httptest.NewServer(s)
		defer server.Close()
		thread := threads(t, server.URL)[i]
		for len(s.bodies) < 250 {
			s.bodies = append(s.bodies, "another")
		}
		for n, text := range []string{"first", "second", "third"} {
			updated, err := thread.Post(t.Context(), "<!-- m -->", "<!-- m -->\n"+text)
			if err != nil || updated != (n > 0) {
				t.Errorf("%s, call %d: updated %t, %v", thread.Name, n+1, updated, err)
			}
			if len(s.bodies) != 251 || s.bodies[250] != "<!-- m -->\n"+text {
				t.Errorf("%s, call %d: %d comments, the last %q", thread.Name, n+1, len(s.bodies), s.bodies[len(s.bodies)-1])
			}
		}
		if len(s.asked) != 3*4 {
			t.Errorf("asked %q", s.asked)
		}
	}
}

// TestDenied: what a fork may not do is told from what went wrong, no error has the token,
// and no redirect gets it.
func TestDenied(t *testing.T) {
	for status, isDenied := range map[int]bool{401: true, 403: true, 404: true, 500: false, 429: false, 302: false, limited + 403: false} {
		server := httptest.NewServer(&standIn{t: t, status: status})
		for _, thread := range threads(t, server.URL) {
			_, err := thread.Post(t.Context(), "<!-- m -->", "<!-- m -->")
			if denied := new(DeniedError); err == nil || errors.As(err, &denied) != isDenied || strings.Contains(err.Error(), token) || !strings.Contains(err.Error(), strconv.Itoa(status%limited)) {
				t.Errorf("%s: %d: %v", thread.Name, status, err)
			}
		}
		server.Close()
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, token) }))
	for _, thread := range threads(t, server.URL) {
		if _, err := thread.Post(t.Context(), "m", "m"); err == nil || !strings.Contains(err.Error(), "did not send a list of comments") || strings.Contains(err.Error(), token) {
			t.Errorf("no list: %v", err)
		}
	}
	server.Close()
	for _, thread := range threads(t, "http://"+token+"@127.0.0.1:1/%zz") {
		if _, err := thread.Post(t.Context(), "m", "m"); err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("no address: %v", err)
		}
		thread.Token = ""
		if _, err := thread.Post(t.Context(), "m", "m"); !errors.As(err, new(*DeniedError)) {
			t.Errorf("no token: %v", err)
		}
	}
}

// TestThreads: which request a job is of.
func TestThreads(t *testing.T) {
	event := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(event, []byte(`{"pull_request":{"number":9}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason, want string
		gitLab       bool
		change       map[string]string
		number       int
	}{
		{"the ref of a pull request", "pull request 7 of acme/shop", false, nil, 0},
		{"the event says it where the ref does not", "pull request 9 of acme/shop", false, map[string]string{"GITHUB_REF": "refs/heads/main", "GITHUB_EVENT_PATH": event}, 0},
		{"a push", ErrNone.Error(), false, map[string]string{"GITHUB_REF": "refs/heads/main"}, 0},
		{"by hand", "pull request 3 of acme/shop", false, map[string]string{"GITHUB_REF": ""}, 3},
		{"a repository that is none", `GITHUB_REPOSITORY is "shop": set it to OWNER/NAME`, false, map[string]string{"GITHUB_REPOSITORY": "shop"}, 0},
		{"a merge request", "merge request 7", true, nil, 0},
		{"a branch", ErrNone.Error(), true, map[string]string{"CI_MERGE_REQUEST_IID": ""}, 0},
		{"a project that is none", `CI_PROJECT_ID is "../1": set it to the number of the project`, true, map[string]string{"CI_PROJECT_ID": "../1"}, 0},
	} {
		env := environment("https://api.example")
		for name, value := range c.change {
			env[name] = value
		}
		of := GitHub
		if c.gitLab {
			of = GitLab
		}
		got := ""
		if thread, err := of(func(name string) string { return env[name] }, c.number); err != nil {
			got = err.Error()
		} else {
			got = thread.Name
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
