//go:build !unix

package command

import (
	"errors"
	"os"

	"tribunal/internal/run/driver"
)

// No path names a descriptor here, no file is locked, and no program is suspended.

func inherited(int) bool { return false }

func duplicate(int) (*os.File, error) { return nil, errors.ErrUnsupported }

func lock(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }

func followSuspend(chan<- driver.Signal) (leave func()) { return func() {} }
