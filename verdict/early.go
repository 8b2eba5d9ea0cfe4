package verdict

import (
	"errors"
	"fmt"

	"tribunal/envelope"
	"tribunal/verdict/gate"
)

// CheckEarly reports what of a policy needs the trials that are left out
// when tests of a fixed number of trials stop as soon as no further trial can
// change their verdict: that verdict is known then, and no number beside it.
func CheckEarly(p envelope.Effective) error {
	var errs []error
	if p.Adjust != "" && p.Adjust != adjustmentTable[0].name {
		errs = append(errs, fmt.Errorf("adjust %s needs the p-value of all trials", p.Adjust))
	}
	if p.ClusterBy != "" {
		errs = append(errs, fmt.Errorf("cluster_by %s compares all trials", p.ClusterBy))
	}
	if p.RunThreshold.OK {
		errs = append(errs, errors.New("run_threshold needs all trials, and failing tests would have fewer"))
	}
	errs = append(errs, gate.CheckEarly(p.Gates))
	for _, rule := range inForce(Unresolve(p)) {
		if rule.Scored {
			errs = append(errs, fmt.Errorf("rule %s judges scores, and any further score can change its verdict", rule.Name))
		}
	}
	return errors.Join(errs...)
}
