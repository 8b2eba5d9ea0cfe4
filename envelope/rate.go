package envelope

// Interval is an interval of a pass rate or a mean score.
type Interval struct {
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Method string  `json:"method,omitempty"`
}

// Rate is a pass rate as a fraction of 1, with its interval.
type Rate struct {
	Value      float64 `json:"value"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Method     string  `json:"method"`
	Confidence float64 `json:"confidence"`
}
