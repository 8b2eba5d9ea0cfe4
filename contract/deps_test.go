package contract_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms states who may import what: for each package of the module, the
// packages of the module and the third-party modules that it may use. The
// standard library and internal/each are free for all. A package that is not listed is a failure,
// so that every new room is a decision. A folder with a go.mod is a module of its
// own.
var rooms = map[string]struct{ ours, theirs []string }{
	"tribunal":                               {ours: []string{"command", "internal/run/process"}},
	"tribunal/contract":                      {},
	"tribunal/command":                       {ours: []string{"*"}, theirs: []string{"github.com/cpuguy83/go-md2man/v2", "github.com/klauspost/compress", "github.com/modelcontextprotocol/go-sdk", "github.com/urfave/cli/v2", "golang.org/x/sys", "golang.org/x/term"}},
	"tribunal/internal/command/comment":      {ours: []string{"internal/text", "internal/words", "internal/regex"}},
	"tribunal/internal/command/ci":           {ours: []string{"internal/suggest", "internal/run/preset"}},
	"tribunal/internal/command/input":        {ours: []string{"internal/words", "envelope", "envelope/count", "read", "internal/run/journal", "internal/compression", "internal/regex"}, theirs: []string{"github.com/bmatcuk/doublestar/v4"}},
	"tribunal/internal/yamltree":             {theirs: []string{"github.com/goccy/go-yaml", "golang.org/x/text"}},
	"tribunal/internal/run/dialect/agentv":   {ours: []string{"internal/run/driver/settings", "envelope"}},
	"tribunal/internal/run/dialect/cerberus": {ours: []string{"internal/jsontext", "internal/words", "internal/run/driver/settings", "envelope", "internal/suggest"}, theirs: []string{"github.com/expr-lang/expr"}},
	"tribunal/internal/command/config":       {ours: []string{"internal/words", "internal/run/dialect/agentv", "internal/run/dialect/cerberus", "internal/run/driver/settings", "envelope", "internal/suggest", "internal/yamltree", "policy", "verdict", "internal/verdict/gate"}, theirs: []string{"github.com/goccy/go-yaml"}},
	"tribunal/policy":                        {ours: []string{"internal/jsontext", "envelope", "envelope/count", "internal/suggest", "internal/words"}},
	"tribunal/internal/command/mcpserver":    {ours: []string{"internal/jsontext", "envelope", "envelope/wire", "verdict", "internal/regex"}, theirs: []string{"github.com/modelcontextprotocol/go-sdk"}},
	"tribunal/internal/*":                    {},
	"tribunal/read/formats":                  {ours: []string{"envelope", "internal/regex", "read", "read/*"}},
	"tribunal/internal/codeowners":           {theirs: []string{"github.com/bmatcuk/doublestar/v4"}},
	"tribunal/envelope":                      {ours: []string{"envelope/cause", "internal/parallel", "envelope/internal/*", "internal/hash", "internal/jsontext"}},
	"tribunal/envelope/cause":                {ours: []string{"internal/regex"}},
	"tribunal/envelope/internal/codec":       {ours: []string{"internal/decimal", "internal/jsontext"}},
	"tribunal/envelope/wire":                 {ours: []string{"internal/words", "envelope", "envelope/internal/codec", "internal/parallel"}},
	"tribunal/envelope/count":                {ours: []string{"internal/crash", "envelope", "envelope/cause", "envelope/internal/*", "internal/parallel", "internal/index", "internal/hash", "internal/jsontext", "internal/redact", "internal/regex", "internal/words"}, theirs: []string{"github.com/cespare/xxhash/v2"}},
	"tribunal/internal/block":                {ours: []string{"envelope"}},
	"tribunal/internal/parallel":             {ours: []string{"internal/crash"}},
	"tribunal/stats":                         {theirs: []string{"gonum.org/v1/gonum"}},
	"tribunal/reliability":                   {ours: []string{"envelope", "stats"}, theirs: []string{"gonum.org/v1/gonum"}},
	"tribunal/internal/history/trend":        {ours: []string{"envelope", "envelope/wire", "policy", "stats", "internal/verdict/rule", "internal/parallel", "internal/words"}},
	"tribunal/internal/history":              {ours: []string{"internal/words", "envelope", "envelope/wire", "internal/history/trend", "stats"}, theirs: []string{"github.com/klauspost/compress", "github.com/lib/pq", "modernc.org/sqlite"}},
	"tribunal/internal/run/allocate":         {ours: []string{"stats"}},
	"tribunal/internal/run/next":             {ours: []string{"internal/run/allocate", "envelope", "internal/block", "internal/words", "internal/run/runner", "verdict", "internal/verdict/rule"}},
	"tribunal/internal/verdict/parting":      {ours: []string{"envelope", "stats"}},
	"tribunal/internal/verdict/why":          {ours: []string{"envelope", "envelope/cause", "internal/words"}},
	"tribunal/internal/run/preset":           {ours: []string{"internal/text", "internal/words", "envelope", "internal/suggest", "read/playwright", "internal/regex", "internal/run/runner"}},
	"tribunal/internal/run/process":          {ours: []string{"internal/redact"}, theirs: []string{"golang.org/x/sys"}},
	"tribunal/internal/redact":               {ours: []string{"internal/jsontext", "internal/regex"}},
	"tribunal/verdict":                       {ours: []string{"envelope", "envelope/cause", "policy", "envelope/count", "internal/parallel", "internal/hash", "internal/compression", "internal/words", "internal/verdict/*", "verdict/internal/*", "internal/redact", "reliability", "stats", "internal/suggest"}},
	"tribunal/verdict/internal/duplicates":   {ours: []string{"envelope", "internal/hash", "internal/compression", "internal/words"}},
	"tribunal/internal/verdict/gate":         {ours: []string{"envelope", "internal/suggest", "internal/words", "policy", "reliability", "internal/regex", "internal/verdict/rule", "internal/verdict/why"}, theirs: []string{"github.com/expr-lang/expr"}},
	"tribunal/internal/verdict/rule":         {ours: []string{"envelope", "internal/suggest", "internal/words", "policy", "stats"}},
	"tribunal/internal/compare":              {ours: []string{"internal/verdict/why", "envelope", "internal/block", "internal/verdict/parting", "policy", "stats", "internal/parallel", "internal/suggest", "verdict", "internal/verdict/gate", "internal/verdict/rule", "internal/words"}},
	"tribunal/internal/audit":                {ours: []string{"internal/compare", "envelope", "internal/block", "internal/words", "internal/plan", "policy", "stats", "verdict", "internal/verdict/gate", "internal/verdict/rule"}, theirs: []string{"gonum.org/v1/gonum"}},
	"tribunal/internal/compare/rank":         {ours: []string{"internal/compare", "envelope", "internal/block", "internal/plan", "stats", "verdict", "internal/verdict/gate", "internal/words"}},
	"tribunal/internal/plan":                 {ours: []string{"internal/text", "envelope", "internal/block", "policy", "stats", "verdict", "internal/verdict/rule", "internal/words"}},
	"tribunal/internal/suggest":              {},
	"tribunal/internal/run/journal":          {ours: []string{"internal/jsontext", "internal/hashchain", "internal/words", "envelope", "envelope/wire"}, theirs: []string{"github.com/gofrs/flock"}},
	"tribunal/internal/run/driver":           {ours: []string{"internal/crash", "internal/redact", "internal/words", "internal/run/driver/settings", "envelope", "internal/suggest", "internal/run/journal", "internal/run/process", "read", "internal/run/preset", "internal/run/runner", "internal/regex"}, theirs: []string{"golang.org/x/time"}},
	"tribunal/internal/run/driver/settings":  {ours: []string{"envelope", "internal/suggest"}, theirs: []string{"golang.org/x/time"}},
	"tribunal/internal/run/runner":           {ours: []string{"internal/run/allocate", "internal/words", "envelope", "stats", "verdict", "internal/verdict/rule"}},
	"tribunal/internal/command/schema":       {ours: []string{"internal/run/driver/settings", "internal/suggest", "policy", "internal/verdict/rule", "internal/regex"}},
	"tribunal/docs":                          {},
	"tribunal/templates":                     {},
	"tribunal/read":                          {ours: []string{"internal/jsontext", "internal/crash", "internal/redact", "envelope", "envelope/count", "read/*", "internal/suggest", "internal/words", "internal/regex"}, theirs: []string{"github.com/klauspost/compress", "golang.org/x/text"}},
	"tribunal/render":                        {ours: []string{"internal/audit", "internal/compare", "envelope", "internal/block", "internal/run/next", "internal/verdict/parting", "internal/plan", "internal/compare/rank", "render/*", "internal/compression", "internal/suggest", "internal/history/trend"}},
	"tribunal/internal/text":                 {ours: []string{"internal/regex"}},
	"tribunal/render/pretty":                 {ours: []string{"internal/verdict/why", "envelope", "internal/block", "internal/verdict/parting", "policy", "internal/text", "render/internal/standing", "internal/words", "internal/history/trend", "internal/verdict/rule"}, theirs: []string{"github.com/charmbracelet/lipgloss", "github.com/clipperhouse/displaywidth", "github.com/muesli/termenv", "github.com/olekukonko/tablewriter"}},
	"tribunal/render/tap":                    {ours: []string{"envelope", "internal/regex", "internal/text", "internal/words", "policy", "render/internal/standing"}},
	"tribunal/render/junit":                  {ours: []string{"envelope", "internal/parallel", "internal/text", "internal/words", "render/internal/standing", "internal/regex"}, theirs: []string{"github.com/jstemmer/go-junit-report/v2"}},
	"tribunal/render/github":                 {ours: []string{"internal/verdict/why", "internal/compare", "envelope", "render/markdown", "internal/text", "render/internal/standing", "internal/words"}},
	"tribunal/internal/words":                {ours: []string{"internal/redact"}},
	"tribunal/render/internal/standing":      {ours: []string{"internal/verdict/why", "internal/jsontext", "envelope", "internal/regex", "internal/text", "internal/words", "internal/plan"}},
	"tribunal/render/internal/gauges":        {ours: []string{"envelope", "render/internal/standing"}},
	"tribunal/internal/hostile":              {ours: []string{"envelope"}},
	"tribunal/render/internal/frame":         {ours: []string{"templates"}},
	"tribunal/render/internal/rendertest":    {ours: []string{"envelope", "envelope/wire", "internal/hostile"}, theirs: []string{"github.com/google/go-cmp"}},
	"tribunal/render/html":                   {ours: []string{"internal/verdict/why", "internal/compare", "docs", "envelope", "internal/block", "internal/parallel", "policy", "render/internal/frame", "render/internal/standing", "render/html/ansi", "internal/text", "templates", "internal/history/trend", "internal/words", "internal/verdict/rule", "internal/regex"}, theirs: []string{"github.com/klauspost/compress"}},
	"tribunal/render/markdown":               {ours: []string{"internal/verdict/why", "envelope", "internal/block", "internal/text", "render/internal/gauges", "render/internal/standing", "internal/words", "internal/regex"}},
	"tribunal/render/*":                      {ours: []string{"internal/verdict/why", "internal/audit", "internal/compare", "envelope", "envelope/wire", "internal/text", "internal/compare/rank", "render/internal/gauges", "render/internal/standing", "internal/words", "internal/history/trend", "internal/regex"}},
	"tribunal/render/ndjson":                 {ours: []string{"internal/compare", "envelope", "envelope/wire", "internal/run/next", "internal/verdict/parting", "internal/history/trend"}},
	"tribunal/envelope/internal/arguments":   {ours: []string{"envelope/internal/codec", "internal/jsontext"}},
	"tribunal/envelope/internal/compress":    {theirs: []string{"github.com/klauspost/compress"}},

	// Readers of formats do not import each other: what they share is in
	// read/internal, and there is no exception.
	"tribunal/read/mapped":               {ours: []string{"envelope", "read/internal/chunks", "read/internal/failure", "read/internal/jsonwalk", "read/internal/position", "read/internal/trialfields", "read/internal/xmlwalk", "internal/suggest", "internal/words", "internal/regex"}, theirs: []string{"github.com/tidwall/gjson"}},
	"tribunal/read/internal/failure":     {ours: []string{"internal/jsontext", "internal/redact", "envelope", "read/internal/*", "internal/compression", "internal/words", "internal/regex"}},
	"tribunal/read/internal/trialfields": {ours: []string{"envelope", "internal/index", "internal/words", "read/internal/failure"}},
	"tribunal/read/internal/xmlwalk":     {ours: []string{"read/internal/noise", "internal/words", "internal/redact", "envelope", "internal/regex"}, theirs: []string{"golang.org/x/text"}},
	"tribunal/read/promptfoo":            {ours: []string{"envelope", "internal/words", "internal/yamltree", "read/internal/*", "internal/regex"}, theirs: []string{"github.com/goccy/go-yaml"}},
	"tribunal/read/inspect":              {ours: []string{"envelope", "read/internal/*", "internal/words"}, theirs: []string{"github.com/klauspost/compress"}},
	"tribunal/read/native":               {ours: []string{"internal/hashchain", "internal/index", "internal/decimal", "internal/jsontext", "envelope", "envelope/count", "read/internal/*", "internal/suggest", "internal/words"}},
	"tribunal/read/tap":                  {ours: []string{"internal/jsontext", "envelope", "read/*", "internal/words", "internal/verdict/rule", "internal/regex"}},
	"tribunal/read/envelope":             {ours: []string{"envelope", "envelope/wire", "read/internal/*", "internal/words"}},
	"tribunal/read/ctrf":                 {ours: []string{"internal/crash", "envelope", "envelope/wire", "read/internal/*", "internal/words"}},
	"tribunal/read/*":                    {ours: []string{"internal/crash", "internal/jsontext", "envelope", "read/internal/*", "internal/compression", "internal/words", "internal/regex"}},
}

func TestImportsRunDownhill(t *testing.T) {
	for _, p := range packages(t) {
		room, ok := rooms[p.ImportPath]
		if !ok {
			parent, _, _ := strings.Cut(strings.TrimPrefix(p.ImportPath, "tribunal/"), "/")
			room, ok = rooms["tribunal/"+parent+"/*"]
		}
		if !ok {
			t.Errorf("%s is in no room: add it to the table with what it may import", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			if !allowed(imp, append(room.ours, "internal/each"), room.theirs) {
				t.Errorf("%s imports %s, which its room does not allow", p.ImportPath, imp)
			}
		}
	}
}

// TestPictureOfTheRooms: what CONTRIBUTING.md draws of the rooms is what they import,
// and every arrow of it runs downhill.
func TestPictureOfTheRooms(t *testing.T) {
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, picture, begins := strings.Cut(string(text), "<!-- rooms -->\n")
	picture, _, ends := strings.Cut(picture, "<!-- end of rooms -->")
	if !begins || !ends {
		t.Fatal("CONTRIBUTING.md has no picture of the rooms")
	}
	var order []string
	drawn := map[string][]string{}
	for line := range strings.Lines(picture) {
		left, uses, _ := strings.Cut(strings.TrimSpace(line), " -> ")
		name, says, _ := strings.Cut(left, "  ")
		if strings.TrimSpace(says) == "" {
			t.Errorf("%q: say in a line what the room is for", line)
		}
		order = append(order, name)
		drawn[name] = strings.Fields(uses)
	}
	found := map[string]map[string]bool{}
	for _, p := range packages(t) {
		from := roomOf(p.ImportPath, order)
		if from == "" {
			t.Errorf("%s is in no room of the picture: draw it", p.ImportPath)
		}
		if found[from] == nil {
			found[from] = map[string]bool{}
		}
		for _, imp := range p.Imports {
			if !strings.HasPrefix(imp, "tribunal") {
				continue
			}
			to := roomOf(imp, order)
			if to != from && slices.Index(order, to) < slices.Index(order, from) {
				t.Errorf("%s imports %s, which is uphill", p.ImportPath, imp)
			}
			if to != from && to != "internal" {
				found[from][to] = true
			}
		}
	}
	for _, name := range order {
		var uses []string
		for _, other := range order {
			if found[name][other] {
				uses = append(uses, other)
			}
		}
		switch {
		case found[name] == nil:
			t.Errorf("the room %s has no package", name)
		case slices.Equal(drawn[name], []string{"*"}):
		case !slices.Equal(drawn[name], uses):
			t.Errorf("the room %s uses -> %s", name, strings.Join(uses, " "))
		}
	}
}

// roomOf is the room of a package: the one that names most of its path.
func roomOf(path string, rooms []string) (room string) {
	path = strings.TrimPrefix(path, "tribunal/")
	if path == "tribunal" {
		return "main"
	}
	for _, r := range rooms {
		folder, formats := strings.CutSuffix(r, "/*")
		within := path == r || strings.HasPrefix(path, folder+"/")
		if shared := strings.HasPrefix(path, folder+"/internal/"); within && !(formats && shared) && len(r) > len(room) {
			room = r
		}
	}
	return room
}

func allowed(imp string, ours, theirs []string) bool {
	if rest, ok := strings.CutPrefix(imp, "tribunal/"); ok {
		return slices.ContainsFunc(ours, func(o string) bool {
			prefix, open := strings.CutSuffix(o, "*")
			return rest == o || open && strings.HasPrefix(rest, prefix)
		})
	}
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	return slices.ContainsFunc(theirs, func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") })
}

func TestNoPackageIsADrawer(t *testing.T) {
	for _, p := range packages(t) {
		if slices.Contains([]string{"util", "utils", "common", "helpers", "misc", "types"}, p.Name) {
			t.Errorf("%s: name a package after what it is for", p.ImportPath)
		}
		if p.Doc == "" {
			t.Errorf("%s has no package doc: say why it exists", p.ImportPath)
		}
		if len(p.CgoFiles) > 0 {
			t.Errorf("%s uses cgo", p.ImportPath)
		}
	}
}

type goPackage struct {
	ImportPath, Name, Doc      string
	GoFiles, Imports, CgoFiles []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	list := func(args ...string) string {
		cmd := exec.Command("go", append([]string{"list"}, args...)...)
		cmd.Dir = ".."
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		return string(out)
	}
	// The module is called tribunal here, also where scripts/address gave it another path.
	text := list("-json=ImportPath,Name,Doc,GoFiles,Imports,CgoFiles", "./...")
	text = strings.ReplaceAll(text, `"`+strings.TrimSpace(list("-m")), `"tribunal`)
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(text)); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// TestFilesRunDownhill: inside the rooms that everything stands on, a file can be
// read after those it uses: no files use each other in a circle. The Builder of
// envelope/count is one type in many files and has no such order.
func TestFilesRunDownhill(t *testing.T) {
	for _, room := range []string{"envelope", "envelope/wire", "policy", "verdict", "internal/verdict/gate", "internal/verdict/rule"} {
		uses := filesOf(t, filepath.Join("..", filepath.FromSlash(room)))
		if len(uses) < 5 {
			t.Fatalf("%s: only %d files were found", room, len(uses))
		}
		if circle := circleOf(uses); circle != nil {
			var told []string
			for i, file := range circle[:len(circle)-1] {
				told = append(told, file+" uses "+uses[file][circle[i+1]]+" of "+circle[i+1])
			}
			t.Errorf("%s: files use each other in a circle: %s", room, strings.Join(told, ", "))
		}
	}
}

// filesOf are the files of a package and, by name, the files each uses and what of
// them. Imports are not looked into: what is of this package is known without.
func filesOf(t *testing.T, folder string) map[string]map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set, uses := token.NewFileSet(), map[string]map[string]string{}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		uses[filepath.Base(name)] = map[string]string{}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	check := types.Config{Importer: unknown{}, Error: func(error) {}} // of what is imported
	made, _ := check.Check(folder, set, files, info)
	place := func(at token.Pos) string { return filepath.Base(set.Position(at).Filename) }
	for name, what := range info.Uses {
		if from, to := place(name.Pos()), place(what.Pos()); what.Pkg() == made && from != to {
			uses[from][to] = max(uses[from][to], what.Name()) // one of them, always the same
		}
	}
	return uses
}

// unknown imports every package as one of which nothing is known.
type unknown struct{}

// Import implements types.Importer.
func (unknown) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// circleOf is files of which each uses the next and the last is the first; nil when
// there are none.
func circleOf(uses map[string]map[string]string) []string {
	done := map[string]bool{}
	var walk func(file string, way []string) []string
	walk = func(file string, way []string) []string {
		if at := slices.Index(way, file); at >= 0 {
			return append(way[at:], file)
		}
		if done[file] {
			return nil
		}
		for _, next := range slices.Sorted(maps.Keys(uses[file])) {
			if circle := walk(next, append(slices.Clone(way), file)); circle != nil {
				return circle
			}
		}
		done[file] = true
		return nil
	}
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		if circle := walk(file, nil); circle != nil {
			return circle
		}
	}
	return nil
}
