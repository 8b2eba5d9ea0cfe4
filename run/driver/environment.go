package driver

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Environment says what a command sees of ours.
type Environment struct {
	// Inherited is the environment of this program, NAME=value each.
	Inherited []string
	// Added are further variables of a start, NAME=value each, in which placeholders
	// may stand; nil is none. They are not ours, and are not hidden.
	Added *Template
	// Only, where it is not nil, names the variables that are passed on.
	Only []string
	// Hide leaves out all of our variables but the cookie, which is then called
	// Cookie: for agents that must not notice that they are tried.
	Hide   bool
	Cookie string
}

// CheckEnvironment reports what cannot be hidden.
func (e Environment) check() error {
	if e.Hide && e.Cookie == "" {
		return fmt.Errorf("env.hide needs env.cookie, the variable by which left-over processes are found")
	}
	if strings.ContainsAny(e.Cookie, "=\x00 ") {
		return fmt.Errorf("env.cookie %q is not the name of a variable", e.Cookie)
	}
	return nil
}

// ours begins the names of our variables.
const ours = "TRIBUNAL_"

// passed is what of the environment is passed on. A run inside a trial of another
// run does not pass on what that was told.
func (e Environment) passed() []string {
	var env []string
	for _, v := range e.Inherited {
		name, _, _ := strings.Cut(v, "=")
		told := strings.HasPrefix(name, ours) && slices.Contains(told, strings.TrimPrefix(name, ours))
		if !told && (e.Only == nil || slices.Contains(e.Only, name)) {
			env = append(env, v)
		}
	}
	return env
}

// told are our variables, without the beginning of their names.
var told = []string{"RUN", "TEST", "SUITE", "VARIANT", "ATTEMPT", "SEED", "SLOT", "DIR", "OUT", "TRIAL"}

// of is the environment of one start.
func (e Environment) of(passed []string, run string, slot int, v Values) []string {
	env := slices.Clone(passed)
	if e.Added != nil {
		env = append(env, e.Added.Argv(v)...)
	}
	if e.Hide {
		return env
	}
	add := func(name, value string) { env = append(env, ours+name+"="+value) }
	add("RUN", run)
	add("TEST", v.Test)
	add("SUITE", v.Suite)
	add("VARIANT", v.Variant)
	add("ATTEMPT", strconv.Itoa(v.Attempt))
	add("SEED", strconv.FormatInt(v.Seed, 10))
	add("SLOT", strconv.Itoa(slot))
	add("DIR", v.Dir)
	add("OUT", v.Out)
	return env
}

// SeedOf is the seed of a trial: of the same run, test and attempt the same, also
// of two variants, so that they may be compared in pairs.
func SeedOf(run int64, suite, test string, attempt int) int64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%d\n", run, suite, test, attempt))
	return int64(binary.BigEndian.Uint32(sum[:4]) >> 1)
}
