//go:build unix

package process

import "golang.org/x/sys/unix"

const terminateSignal = unix.SIGTERM
