//go:build linux || darwin

package process

import (
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkStartAndEnd starts and ends /bin/true, and says how much processor time
// of ours a start takes beside the wall time and the process's own.
func BenchmarkStartAndEnd(b *testing.B) {
	if _, err := exec.LookPath("true"); err != nil {
		b.Skip(err)
	}
	g, err := Open(Options{Run: "r"})
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	dir := b.TempDir()
	before := ourTime(b)
	for b.Loop() {
		p, err := g.Start(Command{ID: "r.1", Argv: []string{"true"}, Stdout: dir + "/stdout", Stderr: dir + "/stderr", Timeout: time.Hour, Grace: time.Second})
		if err != nil {
			b.Fatal(err)
		}
		p.Wait()
	}
	b.ReportMetric(float64((ourTime(b)-before).Microseconds())/float64(b.N), "own-µs/op")
}

func ourTime(b *testing.B) time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
