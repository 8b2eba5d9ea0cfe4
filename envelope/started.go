package envelope

// Began is when the run started, in nanoseconds since 1970: as its header says,
// or else its first trial; not ok when neither says it.
func (e *Envelope) Began() (ns int64, ok bool) {
	if ns, ok = Instant(e.Run.StartedAt); ok {
		return ns, true
	}
	for i := range e.Tests {
		rows := e.Tests[i].Rows
		if rows == nil {
			continue
		}
		for _, at := range rows.StartedAt().Values() {
			if !ok || at < ns {
				ns, ok = at, true
			}
		}
	}
	return ns, ok
}
