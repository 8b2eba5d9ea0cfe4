package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tribunal/run/driver"
	"tribunal/run/journal"
	"tribunal/verdict"
)

// redaction takes secrets out of what is written down, before it is: those that
// policy and table know, and the values of variables that are called like secrets.
func (p *trialRun) redaction(r *driver.Run, j *journal.Journal) error {
	hide, err := verdict.Hider(r.Plan.Policy.Policy)
	if err != nil {
		return err
	}
	values := secretValues(os.Environ(), r.Plan.Policy.Redact.Or(true))
	j.Redact = func(s string) string { return hide(values.Replace(s)) }
	r.Redact = j.Redact
	return nil
}

// secretValues replaces the values of variables that are called like secrets.
func secretValues(environ []string, wanted bool) *strings.Replacer {
	const shortest = 8 // shorter ones stand in texts by chance
	var secrets []string
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		if wanted && len(value) >= shortest && slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD"}, func(word string) bool { return strings.Contains(name, word) }) {
			secrets = append(secrets, value)
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // one may begin another
	var pairs []string
	for _, secret := range secrets {
		pairs = append(pairs, secret, "[redacted:environment]")
	}
	return strings.NewReplacer(pairs...)
}

// hideFromVersionControl keeps the runs out of a repository.
func hideFromVersionControl(dir string) {
	runs := filepath.Dir(filepath.Dir(filepath.Clean(dir)))
	if filepath.Clean(runs) != filepath.Dir(journal.Runs) {
		return // it lies where somebody wants it
	}
	name := filepath.Join(runs, ".gitignore")
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		_ = os.WriteFile(name, []byte("*\n"), 0o644) // without it, git shows the runs
	}
}
