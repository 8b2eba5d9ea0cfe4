package envelope

// Row is one trial of Rows by itself.
type Row struct {
	Given                 Given
	Attempt               Opt[int32]
	Run                   string
	Source                int32
	Retry                 bool
	Truth                 Given // 0 without a label
	RawStatus, ErrorClass string
	Score                 Opt[float64]
	Category              Opt[int32]
	DurationMS, SetupMS   Opt[float64]
	CostUSD, SetupCost    Opt[float64]
	Tokens                Opt[int64]
	ToolCalls             Opt[int32]
	StartedAt, Digest     Opt[int64]
	Reason                Opt[int32] // index into Run.Reasons
}

// Row is what a trial says but its texts. The digest of these is left to whoever
// counts the trial.
func (t *Trial) Row() Row {
	return Row{
		Given: GivenOf(t.Status), Attempt: t.Attempt, Run: t.Run, Retry: t.Retry, Truth: truthOf(t.Truth), RawStatus: t.RawStatus, ErrorClass: t.ErrorClass,
		Score: t.Score, Category: t.Category, DurationMS: t.DurationMS, SetupMS: t.SetupMS, CostUSD: t.CostUSD, SetupCost: t.SetupCostUSD,
		Tokens: t.Tokens, ToolCalls: t.ToolCalls, StartedAt: instant(t.StartedAt),
	}
}

// Excluded reports whether the error class of the trial says that the test was not
// really tried.
func (w *Row) Excluded() bool {
	_, excluded := excludedClass(w.ErrorClass, w.ToolCalls)
	return excluded
}

func excludedClass(class string, calls Opt[int32]) (shown string, excluded bool) {
	switch class {
	case ClassInfrastructure, ClassPreValidation, ClassEmptyRun, ClassErrorRate:
		return class, true
	case ClassTimeout:
		return ClassIdleTimeout, calls.OK && calls.V == 0
	}
	return "", false
}
