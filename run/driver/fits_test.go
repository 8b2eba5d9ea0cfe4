package driver

import (
	"strings"
	"testing"
)

// TestRoomForArguments: on Linux an argument of 128 KiB with its zero byte is refused
// (execve(2), MAX_ARG_STRLEN), one that is shorter by one is not.
func TestRoomForArguments(t *testing.T) {
	for _, c := range []struct {
		reason, system string
		argv           []string
		want           bool
	}{
		{"the longest", "linux", []string{"p", strings.Repeat("x", 131071)}, true},
		{"one byte more", "linux", []string{"p", strings.Repeat("x", 131072)}, false},
		{"many that are short each", "linux", strings.Split(strings.Repeat("x ", 1<<20), " "), false},
		{"a line of Windows", "windows", []string{"p", strings.Repeat("x", 32_767)}, false},
		{"macOS bounds their sum", "darwin", []string{"p", strings.Repeat("x", 131072)}, true},
	} {
		if got := roomOf(c.system).takes(c.argv); got != c.want {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
}
