package preset

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Flags of go test by what a compiled test makes of them: go build has the first, the test
// binary the second, and the last are said otherwise. With any other flag, go test starts
// the tests.
const (
	goBuild = "-a -p -asmflags -buildmode -compiler -gccgoflags -gcflags -installsuffix -ldflags -mod -modfile -overlay -pgo -pkgdir -tags -toolexec " +
		"-race -msan -asan -trimpath -linkshared -modcacherw -buildvcs"
	goBinary = "-cpu -parallel -short -shuffle -skip -timeout -fullpath"
	goOther  = "-run -count -json -v -failfast -vet"
)

// compileGo compiles a package with go test -c. go test links it again at every start,
// which takes more time than most tests: 0.15 s of the processor.
func compileGo(c *command) func(suite, folder string) *Compilation {
	if len(c.head) != 2 || slices.ContainsFunc(c.options, func(o option) bool { return !has(goBuild+" "+goBinary+" "+goOther, o.name) }) ||
		len(c.rest) > 0 && strings.TrimLeft(c.rest[0], "-") != "args" || packageOf(c)[0] != "{suite}" {
		return nil
	}
	for _, flag := range strings.Fields(os.Getenv("GOFLAGS")) { // of which go test -c hands none on
		if name, _, _ := strings.Cut(flag, "="); !has(goBuild+" "+goOther, "-"+strings.TrimLeft(name, "-")) {
			return nil
		}
	}
	var build []string
	binary := []string{"-test.paniconexit0", "-test.v=test2json", "-test.count=1", "-test.timeout=10m", "-test.run={tests:regex}"}
	for _, o := range c.options {
		switch {
		case has(goBuild, o.name):
			build = append(build, o.args...)
		case !has(goBinary, o.name):
		case strings.Contains(o.args[0], "=") || len(o.args) > 1:
			binary = append(binary, "-test."+o.name[1:]+"="+o.value)
		default:
			binary = append(binary, "-test."+o.name[1:])
		}
	}
	if len(c.rest) > 0 {
		binary = append(binary, c.rest[1:]...)
	}
	return func(suite, folder string) *Compilation {
		exe := ""
		if runtime.GOOS == "windows" {
			exe = ".exe"
		}
		tests, convert := filepath.Join(folder, path.Base(suite)+".test"+exe), filepath.Join(folder, "test2json"+exe)
		with := func(words []string, more ...string) []string { return slices.Concat(c.head[:1], words, build, more) }
		return &Compilation{
			Steps: [][]string{
				{c.head[0], "build", "-o", convert, "cmd/test2json"},
				with([]string{"test", "-c"}, "-o", tests, suite),
				with([]string{"list", "-f", "{{.Dir}}"}, suite),
			},
			Start:   append([]string{strings.ReplaceAll(tests, "{", "{{")}, binary...),
			Convert: []string{convert, "-p", suite},
			End: func(failed bool, took time.Duration) string { // as runTestActor of cmd/go/internal/test does
				word := "ok  "
				if failed {
					word = "\x16FAIL" // which is no line of a test
				}
				return fmt.Sprintf("%s\t%s\t%.3fs\n", word, suite, took.Seconds())
			},
		}
	}
}
