package envelope

// Labels is what people's labels of some trials say of the judge that decided all, and
// of the pass rate behind its errors. The labelled trials must be a random part of
// those that count.
type Labels struct {
	Labelled  int `json:"labelled"`            // counted trials with a label
	Trials    int `json:"trials"`              // counted trials
	Uncounted int `json:"uncounted,omitempty"` // labels of trials that do not count
	// Categories is how many categories labels and judge use, 0 where labels are pass and
	// fail alone. With them Kappa is of equal and unequal ones, and Agree counts the equal.
	Categories int `json:"categories,omitempty"`
	Agree      int `json:"agree,omitempty"`
	// Who passed a trial that is labelled pass or fail: both, the judge alone, the label alone, neither.
	BothPass  int `json:"both_pass"`
	JudgeOnly int `json:"judge_only"`
	LabelOnly int `json:"label_only"`
	Neither   int `json:"neither"`

	Sensitivity *Rate     `json:"sensitivity,omitempty"` // share passed of those that the label passes
	Specificity *Rate     `json:"specificity,omitempty"` // share not passed of those that it fails
	Kappa       *Estimate `json:"kappa,omitempty"`       // Cohen's
	Truth       *Rate     `json:"truth,omitempty"`       // pass rate by the labels alone
	// RoganGladen and Powered are the pass rate of all counted trials corrected by the
	// labels. Where one is absent, Notes say why.
	RoganGladen *Rate    `json:"rogan_gladen,omitempty"`
	Powered     *Rate    `json:"prediction_powered,omitempty"`
	Notes       []string `json:"notes,omitempty"`
	// Verdicts are those of the rates against Threshold, which is that of the run or
	// else that of the tests; absent where there is none.
	Threshold Opt[float64]  `json:"threshold,omitzero"`
	Verdicts  *RateVerdicts `json:"verdicts,omitempty"`
}

// RateVerdicts are pass, fail or inconclusive, each by the interval of its rate: the
// judge's own, and the corrected ones that there are.
type RateVerdicts struct {
	Raw         Status `json:"raw"`
	RoganGladen Status `json:"rogan_gladen,omitempty"`
	Powered     Status `json:"prediction_powered,omitempty"`
	// Labels is that of the labels alone, where every counted trial has one: nothing is
	// left to be corrected, and they are the pass rate.
	Labels Status `json:"labels,omitempty"`
}

// Turn reports a corrected verdict that is not that of the judge's own rate.
func (v *RateVerdicts) Turn() bool {
	turns := func(s Status) bool { return s != "" && s != v.Raw }
	return turns(v.RoganGladen) || turns(v.Powered) || turns(v.Labels)
}

// Estimate is a number with its interval.
type Estimate struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// VoteParts say of a check that was judged several times in a trial how its
// judgements vary within tests: by judging a trial again, and by trying a test again.
type VoteParts struct {
	Trials int       `json:"trials"` // counted ones with a judgement
	Votes  int       `json:"votes"`
	Judge  *Estimate `json:"judge,omitempty"` // variance of judging a trial again
	Agent  *Estimate `json:"agent,omitempty"` // variance of trying a test again
	Share  *Estimate `json:"judge_share,omitempty"`
	// Alpha is Krippendorff's, of votes for and against; absent where all are the same.
	Alpha Opt[float64] `json:"alpha,omitzero"`
	// Graded are the trials with votes between pass and fail, which count as either here.
	Graded int `json:"graded,omitempty"`
}
