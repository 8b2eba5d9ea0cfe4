package preset

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read"
	_ "tribunal/read/formats"
)

// started is a start of a recipe: its tests, and the trials in what it wrote.
type started struct {
	asked  []Test
	trials []envelope.Trial
}

// start runs the real runner as a run does: the list, then a start for each test,
// for each suite, or for all of them.
func start(t *testing.T, argv ...string) (listed []Test, starts []started) {
	t.Helper()
	p, ok := For(argv)
	if !ok {
		t.Fatalf("%q: no preset", argv)
	}
	r := must(p.Recipe(argv))(t)
	if r.List == nil {
		return nil, []started{begin(t, &r)}
	}
	stdout, said := execute(t, r.List, nil)
	listed, err := r.Listed(stdout)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if !slices.ContainsFunc(r.Command, func(arg string) bool { return strings.Contains(arg, "{tests") }) {
		for _, test := range listed {
			starts = append(starts, begin(t, &r, test))
		}
		return listed, starts
	}
	for from := 0; from < len(listed); {
		to := from
		for to < len(listed) && listed[to].Suite == listed[from].Suite {
			to++
		}
		starts = append(starts, begin(t, &r, slices.Clone(listed[from:to])...))
		from = to
	}
	return listed, starts
}

// begin runs one start and reads what it wrote.
func begin(t *testing.T, r *Recipe, tests ...Test) started {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out"+r.OutName)
	spelled := func(name, plain string, test Test) string {
		if spell := r.Spell[name]; spell != nil {
			return spell(test)
		}
		return plain
	}
	values := []string{"{out}", out, "{dir}", t.TempDir()}
	if len(tests) > 0 {
		var all []string
		for _, test := range tests {
			all = append(all, spelled("test:regex", test.Test, test))
		}
		one := tests[0]
		values = append(values, "{test}", spelled("test", one.Test, one), "{suite}", spelled("suite", one.Suite, one),
			"{test:regex}", all[0], "{tests:regex}", strings.Join(all, "|"))
	}
	fill := func(texts []string) (filled []string) {
		for _, text := range texts {
			filled = append(filled, strings.NewReplacer(values...).Replace(text))
		}
		return filled
	}
	argv := fill(r.Command)
	if at := slices.Index(argv, "{tests}"); at >= 0 {
		var all []string
		for _, test := range tests {
			all = append(all, spelled("test", test.Test, test))
		}
		argv = slices.Replace(argv, at, at+1, all...)
	}
	written, said := execute(t, argv, fill(r.Env))
	if strings.Contains(strings.Join(slices.Concat(r.Command, r.Env), " "), "{out}") {
		var err error
		if written, err = os.ReadFile(out); err != nil {
			t.Fatalf("%q wrote no report: %v\n%s", argv, err, said)
		}
	}
	f := must(read.ByName(r.From))(t)
	s := sink{}
	if err := f.Read(bytes.NewReader(written), &s); err != nil || len(s.problems) > 0 {
		t.Fatalf("%q: %v %v\n%s\n%s", argv, err, s.problems, written, said)
	}
	return started{tests, s.trials}
}

// execute runs a program, which may well end in a failure, and returns what it
// wrote.
func execute(t *testing.T, argv, env []string) (stdout []byte, said string) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.Bytes(), fmt.Sprintf("%q: %v\n%.4000s%.4000s", argv, cmd.ProcessState, errs.String(), out.String())
}

// sink keeps what a reader finds.
type sink struct {
	trials   []envelope.Trial
	problems []envelope.Problem
}

func (s *sink) Trial(t *envelope.Trial) {
	c := *t
	c.Suite, c.Test, c.Variant = strings.Clone(t.Suite), strings.Clone(t.Test), strings.Clone(t.Variant)
	s.trials = append(s.trials, c)
}
func (s *sink) Problem(p envelope.Problem)              { s.problems = append(s.problems, p) }
func (*sink) Header(envelope.Header, *envelope.Carried) {}
func (*sink) Recorded(*envelope.Recorded)               {}

// holdNames fails where a test that was asked for is not in what its start wrote,
// or is there more than once, and where a start ran a test that it was not asked
// for. Parts of a test that was asked for are its own.
func holdNames(t *testing.T, listed []Test, want []string, starts []started) {
	t.Helper()
	if got := keys(listed); !slices.Equal(got, want) {
		t.Errorf("listed %q\nwant   %q", got, want)
	}
	for _, s := range starts {
		var asked, got []string
		for _, test := range s.asked {
			asked = append(asked, test.Key.String())
		}
		for _, trial := range s.trials {
			if !slices.ContainsFunc(s.asked, func(a Test) bool { return a.Suite == trial.Suite && strings.HasPrefix(trial.Test, a.Test+"/") }) {
				got = append(got, trial.Key.String())
			}
		}
		slices.Sort(asked)
		slices.Sort(got)
		if !slices.Equal(got, asked) {
			t.Errorf("asked for %q\nran       %q", asked, got)
		}
	}
}

// TestGo runs go test on a small module, as tribunal run does.
func TestGo(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "-count=3") // as somebody's environment may have it
	t.Setenv("GOWORK", "off")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOTOOLCHAIN", "local")
	write(t, "go.mod", "module example.com/shop\n\ngo 1.24\n")
	write(t, "cart/cart_test.go", `package cart

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) { fmt.Println("Testing the cart"); os.Exit(m.Run()) }

func TestTotal(t *testing.T) {
	for _, name := range []string{"empty", "a/b (c)", "two words"} {
		t.Run(name, func(t *testing.T) {})
	}
}
func TestTotals(t *testing.T)    { t.Error("no") }
func TestÄnderung(t *testing.T) { t.Skip("later") }
func TestLeftOut(t *testing.T)   {}

func BenchmarkTotal(b *testing.B) {}
func FuzzTotal(f *testing.F) { f.Add(1); f.Fuzz(func(*testing.T, int) {}) }

func Example_total() { fmt.Println(3) // Output: 3
}
`)
	write(t, "pay/pay.go", "package pay\n")
	write(t, "pay/pay_test.go", "package pay_test\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {}\n")
	write(t, "none/none.go", "package none\n")
	cart, pay := "example.com/shop/cart/", "example.com/shop/pay/"

	listed, starts := start(t, "go", "test", "-skip=LeftOut", "./...")
	holdNames(t, listed, []string{cart + "TestTotal", cart + "TestTotals", cart + "TestÄnderung", cart + "FuzzTotal", cart + "Example_total", pay + "TestTotal"}, starts)

	listed, starts = start(t, "go", "test", "-run", "^TestTotal$", "./cart", "./pay")
	holdNames(t, listed, []string{cart + "TestTotal", pay + "TestTotal"}, starts)

	listed, starts = start(t, "go", "test", "-vet=off", filepath.Join("pay", "pay_test.go"))
	holdNames(t, listed, []string{"command-line-arguments/TestTotal"}, starts)
}
