package standing

import (
	"strings"

	"tribunal/envelope"
)

// RunSetup is what setting up the whole run took, which is no part of its trials;
// empty where nobody says it.
func RunSetup(h *envelope.Header, duration, dollars func(float64) string) string {
	if !h.SetupMS.OK && !h.SetupCostUSD.OK {
		return ""
	}
	var parts []string
	if h.SetupMS.OK {
		parts = append(parts, duration(h.SetupMS.V))
	}
	if h.SetupCostUSD.OK {
		parts = append(parts, dollars(h.SetupCostUSD.V))
	}
	return "setup of the run " + strings.Join(parts, " and ")
}
