package driver

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tribunal/run/process"
)

// Compilation is how the tests of a suite are compiled once, and started by themselves.
type Compilation struct {
	Steps          [][]string // the last prints the directory of the tests
	Start, Convert []string
	End            func(failed bool, took time.Duration) string
}

// compiled are the compiled tests of a suite.
type compiled struct {
	into  string // a folder
	once  sync.Once
	by    *Compilation
	start *Template // nil where they could not be compiled: their runner says why
}

// compiledFor are the compiled tests of a start, nil where the runner starts them: what
// one start needs is not worth to be compiled.
func (d *drive) compiledFor(s *start, v Values, folder string) *compiled {
	if d.run.Compile == nil || s.Number == 0 {
		return nil
	}
	d.mu.Lock()
	c := d.compiled[v.Suite]
	if c == nil {
		c = &compiled{into: filepath.Join(d.raw, fmt.Sprint("compiled", len(d.compiled)))}
		d.compiled[v.Suite] = c
	}
	d.mu.Unlock()
	c.once.Do(func() { c.start = c.compile(d, s, v, folder) })
	if c.start == nil {
		return nil
	}
	return c
}

func (c *compiled) compile(d *drive, s *start, v Values, folder string) *Template {
	if c.by = d.run.Compile(v.Suite, c.into); c.by == nil || os.Mkdir(c.into, 0o700) != nil {
		return nil
	}
	defer func(timeout time.Duration) { s.timeout = timeout }(s.timeout)
	s.timeout = 0
	printed := filepath.Join(folder, "compile")
	for _, argv := range c.by.Steps {
		end, err := d.execute(s, literal(argv), v, printed, false)
		if err != nil || end.Why != process.Exited || end.Code != 0 {
			return nil
		}
	}
	dir, err := os.ReadFile(filepath.Join(printed, stdoutName))
	start, wrong := NewTemplate(c.by.Start)
	if err != nil || wrong != nil {
		return nil
	}
	start.dir = strings.TrimRight(string(dir), "\r\n")
	return start
}

// literal is a command without placeholders.
func literal(argv []string) *Template {
	t := &Template{text: argv}
	for _, arg := range argv {
		t.args = append(t.args, []piece{{text: arg}})
	}
	return t
}

// convert writes what the runner would have written of a start where its report is read.
// The runner exits with 1 whatever the tests exit with.
func (c *compiled) convert(folder string, v Values, end *process.End) error {
	raw, err := os.Open(filepath.Join(folder, stdoutName))
	if err != nil {
		return err
	}
	defer raw.Close()
	wrote, err := os.Create(v.Out)
	if err != nil {
		return err
	}
	last := ""
	if end.Why == process.Exited {
		last = c.by.End(end.Code != 0, end.Duration)
		if end.Signal != "" || end.Code != 0 && end.StdoutSize == 0 {
			last = inWords(*end) + "\n" + last
		}
		sign := []byte{'\n'}
		if _, err := raw.ReadAt(sign, end.StdoutSize-1); err == nil && sign[0] != '\n' {
			last = "\n" + last
		}
		end.Code = min(end.Code, 1)
	}
	cmd := exec.Command(c.by.Convert[0], c.by.Convert[1:]...)
	cmd.Stdin, cmd.Stdout = io.MultiReader(raw, strings.NewReader(last)), wrote
	err = cmd.Run()
	if closed := wrote.Close(); err == nil {
		err = closed
	}
	return err
}
