package codeowners

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPatternsAsGit: the expected values are those of github.com/hmarr/codeowners v1.2.1
// (MIT, Copyright 2020 Harry Marr), which holds them against git check-ignore.
func TestPatternsAsGit(t *testing.T) {
	text, err := os.ReadFile("testdata/patterns.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Pattern string
		Paths         map[string]bool
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 20 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, c := range cases {
		f, err := Parse(strings.NewReader(c.Pattern+" @a"), false)
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range c.Paths {
			if got := len(f.Owners(path)) > 0; got != want {
				t.Errorf("%s: %s matches %s: %t, want %t", c.Name, c.Pattern, path, got, want)
			}
		}
	}
}

// The expected owners are those that the manuals of GitHub and GitLab state for these files.
func TestOwners(t *testing.T) {
	const gitHub = `# the example of GitHub's manual
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs2@example.com
apps/ @octocat
/scripts/ @doctocat @octocat
/apps/github
/my\ file.md @blank
/app/[slug]/ @web
/größe/ @maß
`
	const gitLab = `* @admins
README.md @docs-team @jane
internal/README.md @user4
/config @config-owner
/deploy/ @ops
[Ruby] @ruby-team
*.rb
!/gems/**/*
/gems/own.rb @too-late
^[Docs][2] @docs-team
docs/
lib/*.md @lib-docs
[ruby]
/extra.rb @extra
`
	for _, c := range []struct{ reason, file, path, want string }{
		{"the last line wins", gitHub, "src/app.js", "@js-owner"},
		{"an address", gitHub, "a/b.go", "docs@example.com"},
		{"what no other line matches", gitHub, "Makefile", "@global-owner1 @global-owner2"},
		{"a folder at the root only", gitHub, "src/build/logs/x", "@global-owner1 @global-owner2"},
		{"a folder anywhere", gitHub, "src/apps/deep/x", "@octocat"},
		{"files right in the folder", gitHub, "docs/getting-started.md", "docs2@example.com"},
		{"and no deeper", gitHub, "docs/build-app/troubleshooting.md", "@global-owner1 @global-owner2"},
		{"several", gitHub, "scripts/a", "@doctocat @octocat"},
		{"a line without owners takes them away", gitHub, "apps/github/x", ""},
		{"an escaped blank", gitHub, "my file.md", "@blank"},
		{"brackets are no range", gitHub, "app/[slug]/page.tsx", "@web"},
		{"letters beyond ASCII", gitHub, "größe/a.py", "@maß"},
		{"GitLab: a name at any depth", gitLab, "a/b/README.md", "@docs-team @jane"},
		{"GitLab: a relative path at any depth", gitLab, "x/internal/README.md", "@user4"},
		{"GitLab: a path without a slash at its end is one file", gitLab, "config/a", "@admins"},
		{"GitLab: a folder", gitLab, "deploy/a/b", "@ops"},
		{"GitLab: every section counts, with its default owners", gitLab, "docs/a.rb", "@admins @ruby-team @docs-team"},
		{"GitLab: an exclusion is final", gitLab, "gems/own.rb", "@admins"},
		{"GitLab: a relative glob", gitLab, "x/lib/a.md", "@admins @lib-docs"},
		{"GitLab: two sections of one name are one", gitLab, "extra.rb", "@admins @extra"},
		{"nothing", "", "a", ""},
		{"a heading that does not end is a path", "[Docs @a\n* @b", "x", "@b"},
	} {
		f, err := Parse(strings.NewReader(c.file), false)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(f.Owners(c.path), " "); got != c.want {
			t.Errorf("%s: %s is of %q, want %q", c.reason, c.path, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("[a][2] @b\n!x\\ y @c # d\n***/{[ @e", "x y")
	f.Fuzz(func(t *testing.T, text, path string) {
		for _, gitLab := range []bool{false, true} {
			file, err := Parse(strings.NewReader(text), gitLab)
			if err != nil {
				continue
			}
			for _, o := range file.Owners(path) {
				if !strings.Contains(o, "@") || slices.Contains([]string{"", "@ "}, o) {
					t.Errorf("owner %q", o)
				}
			}
		}
	})
}
