package command

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"tribunal/compare"
	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/suggest"
	"tribunal/policy"
	"tribunal/verdict"
	"tribunal/verdict/gate"
)

// codeUnlabelled is the code of trials that are in no part of a split run.
const codeUnlabelled = "unlabelled-trials"

// oneRun reads all inputs as one run, parts it by the values of the label, and
// judges each part under the policy of the whole.
func (q *comparing) oneRun(c *cli.Context, env Env) (*compare.Comparison, error) {
	builder, err := verdict.NewBuilder(q.layer)
	if err != nil {
		return nil, err
	}
	builder.SplitBy(q.by)
	if err := readAll(c, env, builder, q.inputs[0], q.file); err != nil {
		return nil, err
	}
	held, err := verdict.PolicyFor(builder, q.layer)
	if err != nil {
		return nil, err
	}
	if err := checkRecorded(builder); err != nil {
		return nil, err
	}
	keep, err := policy.KeepDetails(held.KeepDetails)
	if err != nil {
		return nil, err
	}
	parts := builder.Parts()
	whole := builder.Run(held.OnConflict, keep)
	if broken := gate.Broken(whole.Problems, held.Policy); len(parts) == 0 && broken > 0 {
		mention(env.Stderr, whole.Problems, held.Policy)
	}
	base, err := q.baseOf(c, builder, parts)
	if err != nil {
		return nil, err
	}
	var sides []compare.Input
	for _, part := range parts {
		side, err := q.judgePart(part, whole, held, keep)
		if err != nil {
			return nil, err
		}
		sides = append(sides, side)
	}
	others := slices.Delete(slices.Clone(sides), base, base+1)
	return compare.Runs(q.by, sides[base], others, append(whole.Problems, unsplit(builder, q.by)...), q.Options)
}

// baseOf is the place of the part that the others are compared with.
func (q *comparing) baseOf(c *cli.Context, b *count.Builder, parts []count.Part) (int, error) {
	values := make([]string, len(parts))
	for i, part := range parts {
		values[i] = part.Value
	}
	switch len(values) {
	case 0:
		if _, mixed, _ := b.Unsplit(); mixed > 0 {
			return 0, fmt.Errorf("--by %s: it varies within tests of an envelope, which keeps no value per trial: compare the trials themselves, or write the value as variant", q.by)
		}
		return 0, fmt.Errorf("--by: no trial has it: %w", suggest.Unknown("label", q.by, append(b.SplitNames(), envelope.VariantLabel)))
	case 1:
		return 0, fmt.Errorf("--by %s: all trials have the value %q: there is nothing to compare it with", q.by, values[0])
	}
	want := c.String("base-value")
	if want == "" {
		return 0, nil
	}
	if at := slices.Index(values, want); at >= 0 {
		return at, nil
	}
	return 0, fmt.Errorf("--base-value: %w", suggest.Unknown("value of "+q.by, want, values))
}

// judgePart judges one part as a run of its own. Its name is taken from the
// judged run, in which secrets are hidden.
func (q *comparing) judgePart(part count.Part, whole *envelope.Run, policy envelope.Effective, keep int) (compare.Input, error) {
	run := part.Builder.Run(policy.OnConflict, keep)
	run.Header.Header = whole.Header.Header
	labels := map[string]string{q.by: part.Value}
	for name, value := range whole.Header.Labels {
		if name != q.by {
			labels[name] = value
		}
	}
	run.Header.Labels = labels
	judged, err := verdict.Seal(run, policy)
	if err != nil {
		return compare.Input{}, err
	}
	return compare.Input{Name: judged.Run.Labels[q.by], Envelope: judged}, nil
}

// unsplit says which trials are on no side.
func unsplit(b *count.Builder, by string) []envelope.Problem {
	without, mixed, more := b.Unsplit()
	var out []envelope.Problem
	for _, u := range []struct {
		n    int
		what string
	}{
		{without, "trials have no " + by},
		{mixed, "trials are of recorded tests within which " + by + " varies: the envelope does not say which trial has which value"},
		{more, "trials have a value of " + by + " beyond the first hundred"},
	} {
		if u.n > 0 {
			out = append(out, envelope.Problem{Severity: envelope.SeverityWarning, Code: codeUnlabelled, Count: u.n,
				Message: fmt.Sprintf("%d %s; they are left out of the comparison", u.n, u.what)})
		}
	}
	return out
}
