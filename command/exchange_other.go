//go:build !linux

package command

import "errors"

// exchange is left to two steps.
func exchange(string, string) error { return errors.ErrUnsupported }
