package driver

import (
	"os"
	"strings"
)

// Boot tells one start of the machine from another.
func Boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
