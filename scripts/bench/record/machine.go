package record

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Machine says on what was measured, as far as the system tells.
func Machine() string {
	words := []string{fmt.Sprintf("%d cores", runtime.NumCPU()), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()}
	if model := field("/proc/cpuinfo", "model name"); model != "" {
		words = slices.Insert(words, 0, model)
	}
	if total := field("/proc/meminfo", "MemTotal"); total != "" {
		words = append(words, total+" of memory")
	}
	if out, err := exec.Command("node", "--version").Output(); err == nil {
		words = append(words, "Node "+strings.TrimSpace(string(out)))
	}
	if !math.IsNaN(busy) {
		words = append(words, fmt.Sprintf("load average at the start %.1f", busy))
	}
	return strings.Join(words, ", ")
}

// Today is the date to write over results.
func Today() string { return time.Now().UTC().Format("2 January 2006") }

// field is the first value of a name in a file of Linux' /proc.
func field(path, name string) string {
	text, _ := os.ReadFile(path) // other systems have none
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// busy is the load average when the program began: what was measured on a busy machine says little.
var busy = loadAverage()

func loadAverage() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	var load float64
	if _, err := fmt.Sscan(string(text), &load); err != nil {
		return math.NaN()
	}
	return load
}
