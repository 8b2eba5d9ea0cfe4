package verdict

import (
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/policy"
)

// NewBuilder returns a Builder for trials that are to be judged under a policy: it
// keeps as many details as the policy asks for. The error says what is wrong with
// the policy, before an hour is spent on reading.
func NewBuilder(asked envelope.Policy) (*count.Builder, error) {
	known := policy.Fill(asked, policy.Defaults())
	if err := CheckValues(known); err != nil {
		return nil, err
	}
	keep, err := policy.KeepDetails(known.KeepDetails)
	if err != nil {
		return nil, err
	}
	conversations, err := policy.KeepTranscripts(known.KeepTranscripts)
	if err != nil {
		return nil, err
	}
	b := count.NewBuilder(keep, known.ScoreThreshold.V)
	b.KeepConversations(conversations)
	return b, b.Hide(redactRules(known))
}

// Judge finishes counting and judges the run, under the policy that came with its
// inputs and what is asked for on top of it. The Builder must not be used
// afterwards. The error is that of a policy that cannot be used; what is wrong with
// an input is a problem in the envelope.
func Judge(b *count.Builder, asked envelope.Policy) (*envelope.Envelope, error) {
	held, err := PolicyFor(b, asked)
	if err != nil {
		return nil, err
	}
	run, err := Counted(b, held)
	if err != nil {
		return nil, err
	}
	return Seal(run, held)
}

// Counted finishes counting under a policy, which says what to keep.
func Counted(b *count.Builder, held envelope.Effective) (*envelope.Run, error) {
	keep, err := policy.KeepDetails(held.KeepDetails)
	if err != nil {
		return nil, err
	}
	conversations, err := policy.KeepTranscripts(held.KeepTranscripts)
	if err != nil {
		return nil, err
	}
	b.KeepConversations(conversations)
	return b.Run(held.OnConflict, keep), nil
}

// PolicyFor is the policy that holds for what was read: the one that came with the
// inputs, if it is one, and on top of it what is asked for. Inputs that came with
// several are judged anew under the default one, which is a problem; where a rule is
// asked for, under that and what their policies agree on.
func PolicyFor(b *count.Builder, asked envelope.Policy) (envelope.Effective, error) {
	carried := b.Policies()
	var base envelope.Policy
	switch {
	case len(carried) == 1:
		base = Asked(carried[0])
	case len(carried) > 1 && asked.Rule == "":
		b.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodePolicies,
			Message: fmt.Sprintf("the inputs were judged under %d different policies; all are judged again under the default one; choose one with --rule or tribunal.yaml", len(carried))})
	case len(carried) > 1:
		base = agreed(b, carried, asked)
	}
	all := Layer(base, asked)
	held, err := Resolve(all)
	if err == nil && asked.Rule == "" {
		err = CheckUsed(asked, all)
	}
	if err != nil && len(carried) == 1 {
		return held, fmt.Errorf("policy (with what the input carries): %w", err)
	}
	return held, err
}

// agreed is what all policies that came with inputs say alike. What they differ in is
// said to be lost, or gates would go without a word; not so parameters of rules, for
// another rule is asked for.
func agreed(b *count.Builder, carried []envelope.Carried, asked envelope.Policy) envelope.Policy {
	var all []envelope.Policy
	for _, c := range carried {
		all = append(all, policy.Fill(Asked(c), policy.Defaults()))
	}
	base, differ := policy.Agreed(all)
	var lost []string
	for _, k := range differ {
		if !k.OfRules && k.LookedAt == policy.ByAllRules && !k.Said(&asked) {
			lost = append(lost, k.Name)
		}
	}
	if len(lost) > 0 {
		b.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodePolicies,
			Message: fmt.Sprintf("the inputs were judged under %d different policies; keys that differ are ignored: %s", len(carried), strings.Join(lost, ", "))})
	}
	return base
}
