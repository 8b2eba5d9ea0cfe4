package redact

const (
	rememberedRuns = 256 // a power of two
	rememberedRun  = 120 // bytes of one: of more there are few, and seldom twice
)

// remembered are runs of base64 that hold no secret. Those of ordinary texts are paths
// and long words, which stand in a text again and again: the same file in every line
// of a stack trace.
type remembered struct {
	runs [rememberedRuns]rememberedText
}

type rememberedText struct {
	size uint8
	text [rememberedRun]byte
}

// holds reports whether the run is remembered.
func (m *remembered) holds(run string) bool {
	if len(run) > rememberedRun {
		return false
	}
	t := m.at(run)
	return string(t.text[:t.size]) == run
}

// keep remembers a run, in place of another whose ends are alike.
func (m *remembered) keep(run string) {
	if len(run) <= rememberedRun {
		t := m.at(run)
		t.size = uint8(copy(t.text[:], run))
	}
}

// at is where a run is kept, which has 16 bytes at least. Paths differ most at their ends.
func (m *remembered) at(run string) *rememberedText {
	h := eightBytes(run) ^ eightBytes(run[len(run)/2-4:])*3 ^ eightBytes(run[len(run)-8:])*5
	return &m.runs[(h+uint64(len(run)))*0x9e3779b97f4a7c15>>56%rememberedRuns]
}
