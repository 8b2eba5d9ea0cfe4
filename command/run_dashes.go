package command

import "slices"

// behindDashes is what stands behind the first -- of a call of run.
type behindDashes struct {
	given bool
	words []string
	args  []string // all of the call
	set   []string // the flags of any command that the environment sets
}

// cut takes the command of run or next off the arguments, before anything else looks at
// them: what is in it is nobody's flag.
func (b *behindDashes) cut(args []string) []string {
	if len(args) < 2 || args[1] != "run" && args[1] != "next" {
		return args
	}
	b.args = args
	at := slices.Index(args, "--")
	if at < 0 {
		return args
	}
	b.given, b.words = true, args[at+1:]
	return args[:at]
}

// remember keeps the flags that the environment sets with the call, for a run that is
// gone on with elsewhere.
func (b *behindDashes) remember(set []string) {
	b.set = set
	if b.args != nil {
		b.args = slices.Concat(b.args[:2], set, b.args[2:])
	}
}
