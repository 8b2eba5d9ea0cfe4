//go:build !unix

package process

import "os"

// terminateSignal is what CTRL_BREAK arrives as.
var terminateSignal = os.Interrupt
