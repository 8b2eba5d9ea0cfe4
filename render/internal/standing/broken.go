package standing

import "tribunal/envelope"

// WhyBroken is why nothing could be judged: the first error of the input, or
// else the first reason of the gate.
func WhyBroken(reasons []string, problems []envelope.Problem) string {
	for _, p := range problems {
		if p.Severity == envelope.SeverityError {
			return p.String()
		}
	}
	if len(reasons) > 0 {
		return reasons[0]
	}
	return "the run is broken"
}
