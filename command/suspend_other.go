//go:build !unix

package command

import "tribunal/run/driver"

// heedSuspend does nothing where programs are not suspended.
func heedSuspend(chan<- driver.Signal) (leave func()) { return func() {} }
