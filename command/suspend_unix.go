//go:build unix

package command

import (
	"os"
	"os/signal"
	"syscall"

	"tribunal/run/driver"
)

// heedSuspend has a run suspend its trials together with this program, until it is
// told to leave that.
func heedSuspend(run chan<- driver.Signal) (leave func()) {
	if signal.Ignored(syscall.SIGTSTP) {
		return func() {}
	}
	asked, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(asked, syscall.SIGTSTP)
	go func() {
		for {
			select {
			case <-asked:
				run <- driver.Suspend
			case <-over:
				return
			}
		}
	}()
	return func() {
		signal.Stop(asked)
		close(over)
	}
}
