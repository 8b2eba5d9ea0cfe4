//go:build !unix

package command

import (
	"errors"
	"os"
)

// No path names a descriptor here.

func inherited(int) bool { return false }

func duplicate(int) (*os.File, error) { return nil, errors.ErrUnsupported }
