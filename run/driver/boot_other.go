//go:build !linux

package driver

// Boot tells one start of the machine from another; "" where nobody says.
func Boot() string { return "" }
