//go:build !linux

package main

import (
	"errors"
	"os"
)

// openTerminal is written for Linux alone.
func openTerminal() (screen, terminal *os.File, err error) {
	return nil, nil, errors.New("no terminal can be opened on this system")
}
