package jsonwalk

import "tribunal/envelope"

// Silent is a sink for a text that is read for what others need of it.
type Silent struct{}

// Trial implements envelope.Sink.
func (Silent) Trial(*envelope.Trial) {}

// Header implements envelope.Sink.
func (Silent) Header(envelope.Header, *envelope.Carried) {}

// Recorded implements envelope.Sink.
func (Silent) Recorded(*envelope.Recorded) {}

// Problem implements envelope.Sink.
func (Silent) Problem(envelope.Problem) {}
