// Package comment posts one comment on a pull or merge request and updates it: the comment
// is found again by its first line.
//
// It makes three requests of each system: list, create and update. The official clients
// would do so as well, and would add 11 % to the processor time of the first build.
package comment

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"tribunal/internal/regex"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

// Thread are the comments of one pull or merge request.
type Thread struct {
	Name  string // of the request, for people
	Token string
	// Needs is the permission that it takes, for people.
	Needs string

	comments string // URL to list comments and to create one
	comment  string // URL of a comment, to which its id is added
	update   string // method
	header   string // of the token
	before   string // the token in it
}

// ErrNone says that the job has no pull or merge request.
var ErrNone = errors.New("this job has no pull or merge request to comment on; name one with --number")

// DeniedError says that the system does not let us comment, as in jobs of forks.
type DeniedError struct{ Why string }

func (e *DeniedError) Error() string { return e.Why }

var pullRef = regex.Of(`^refs/pull/([0-9]+)/`)

// GitHub is the pull request that an environment of GitHub Actions names.
func GitHub(getenv func(string) string, number int) (*Thread, error) {
	repository, api := getenv("GITHUB_REPOSITORY"), cmp.Or(getenv("GITHUB_API_URL"), "https://api.github.com")
	number = cmp.Or(number, pullNumber(getenv))
	switch {
	case number == 0:
		return nil, ErrNone
	case strings.Count(repository, "/") != 1:
		return nil, fmt.Errorf("GITHUB_REPOSITORY is %q: set it to OWNER/NAME", repository)
	}
	of := strings.TrimRight(api, "/") + "/repos/" + repository + "/issues/"
	return &Thread{Name: fmt.Sprintf("pull request %d of %s", number, repository), Token: getenv("GITHUB_TOKEN"),
		Needs:    "the step needs GITHUB_TOKEN in its env, with the permission pull-requests: write, which jobs of forks do not get",
		comments: of + strconv.Itoa(number) + "/comments", comment: of + "comments/", update: http.MethodPatch,
		header: "Authorization", before: "Bearer "}, nil
}

// pullNumber is the number of the pull request that the job is of, 0 for none.
func pullNumber(getenv func(string) string) int {
	var event struct {
		PullRequest struct{ Number int } `json:"pull_request"`
	}
	text, err := os.ReadFile(getenv("GITHUB_EVENT_PATH"))
	if err == nil && json.Unmarshal(text, &event) == nil && event.PullRequest.Number > 0 {
		return event.PullRequest.Number
	}
	if m := pullRef().FindStringSubmatch(getenv("GITHUB_REF")); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 0
}

// GitLab is the merge request that an environment of GitLab CI names.
func GitLab(getenv func(string) string, number int) (*Thread, error) {
	project, api := getenv("CI_PROJECT_ID"), cmp.Or(getenv("CI_API_V4_URL"), "https://gitlab.com/api/v4")
	ofJob, _ := strconv.Atoi(getenv("CI_MERGE_REQUEST_IID"))
	number = cmp.Or(number, ofJob)
	_, err := strconv.Atoi(project)
	switch {
	case number == 0:
		return nil, ErrNone
	case err != nil:
		return nil, fmt.Errorf("CI_PROJECT_ID is %q: set it to the number of the project", project)
	}
	notes := fmt.Sprintf("%s/projects/%s/merge_requests/%d/notes", strings.TrimRight(api, "/"), project, number)
	return &Thread{Name: fmt.Sprintf("merge request %d", number), Token: getenv("GITLAB_TOKEN"),
		Needs:    "the job needs GITLAB_TOKEN, with scope api and role Reporter; a job token cannot comment, and forks get no variables",
		comments: notes, comment: notes + "/", update: http.MethodPut, header: "PRIVATE-TOKEN"}, nil
}

// Post writes the comment whose text begins with the mark, or replaces the one that is
// there, and says which.
func (t *Thread) Post(ctx context.Context, mark, body string) (updated bool, err error) {
	if t.Token == "" {
		return false, &DeniedError{"there is no token"}
	}
	id, err := t.find(ctx, mark)
	if err != nil {
		return false, err
	}
	text, _ := json.Marshal(map[string]string{"body": body}) // strings always fit into JSON
	if id != 0 {
		return true, t.ask(ctx, t.update, t.comment+strconv.FormatInt(id, 10), text, nil)
	}
	return false, t.ask(ctx, http.MethodPost, t.comments, text, nil)
}

const perPage = 100

// find is the id of the comment that begins with the mark, 0 where there is none.
func (t *Thread) find(ctx context.Context, mark string) (int64, error) {
	for page := 1; ; page++ {
		var all []struct {
			ID     int64
			Body   string
			System bool
		}
		if err := t.ask(ctx, http.MethodGet, fmt.Sprintf("%s?per_page=%d&page=%d", t.comments, perPage, page), nil, &all); err != nil {
			return 0, err
		}
		for _, c := range all {
			if !c.System && strings.HasPrefix(c.Body, mark) {
				return c.ID, nil
			}
		}
		if len(all) < perPage {
			return 0, nil
		}
	}
}

// client follows no redirect, which would take the token along.
var client = &http.Client{
	Timeout:       time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// ask makes one request. No error has the token.
func (t *Thread) ask(ctx context.Context, method, url string, body []byte, into any) error {
	hide := func(text string) string { return strings.ReplaceAll(text, t.Token, "***") }
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return errors.New(hide(err.Error()) + "; check GITHUB_API_URL or CI_API_V4_URL")
	}
	request.Header.Set(t.header, t.before+t.Token)
	request.Header.Set("User-Agent", "tribunal")
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("no answer from %s: %s; check the network and the variables of the job", cmp.Or(request.URL.Host, "the URL "+url),
			hide(cmp.Or(errors.Unwrap(err), err).Error()))
	}
	defer response.Body.Close()
	limited := response.Header.Get("Retry-After") != "" || response.Header.Get("X-Ratelimit-Remaining") == "0"
	switch code := response.StatusCode; {
	case code == http.StatusTooManyRequests, code > 499, code == http.StatusForbidden && limited:
		return fmt.Errorf("%s %s answered %d %s: try again later", method, request.URL.Redacted(), code, http.StatusText(code))
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusNotFound:
		return &DeniedError{fmt.Sprintf("%s answered %d %s%s", request.URL.Host, code, http.StatusText(code),
			words.If(code == http.StatusNotFound, ", which can also mean a wrong number"))}
	case code < 200 || code > 299:
		said, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10)) // what there is of it
		return fmt.Errorf("%s %s answered %d %s: check --number and the variables of the job%s", method, request.URL.Redacted(), code,
			http.StatusText(code), words.Around("; the answer is ", text.Line(words.Lead(hide(string(said)), 300))))
	case into == nil:
		return nil
	}
	const mostBytes = 256 << 20 // of a page of comments
	if err := json.NewDecoder(io.LimitReader(response.Body, mostBytes)).Decode(into); err != nil {
		return fmt.Errorf("%s did not send a list of comments: check GITHUB_API_URL or CI_API_V4_URL", request.URL.Host)
	}
	return nil
}
