package main

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// openTerminal opens a terminal of 200 columns: the screen that its user sees
// and the end that programs write to.
func openTerminal() (screen, terminal *os.File, err error) {
	screen, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	unlock, number := int32(0), int32(0)
	size := [4]uint16{50, 200, 0, 0} // rows, columns, and pixels, which nobody asks for
	if err = control(screen, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock)); err == nil {
		err = control(screen, syscall.TIOCGPTN, unsafe.Pointer(&number))
	}
	if err == nil {
		err = control(screen, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	}
	if err == nil {
		terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		screen.Close()
		return nil, nil, fmt.Errorf("opening a terminal: %w", err)
	}
	return screen, terminal, nil
}

func control(file *os.File, request uintptr, argument unsafe.Pointer) error {
	if _, _, code := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), request, uintptr(argument)); code != 0 {
		return code
	}
	return nil
}
