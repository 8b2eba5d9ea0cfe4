// Package text makes hostile text safe to show: what a test, an agent or a tool
// wrote, and what it named itself, as valid UTF-8 without anything that a
// terminal, a log viewer or a build server would obey, and cut to a size.
//
// It exists so that there is one copy of these rules and every report shows the
// same text the same way. It leaves out the quoting of each format (XML, JSON,
// HTML, TAP, Markdown): that is done afterwards, at the format's own door, and
// on text that is already cut.
//
// What becomes of what:
//
//	terminal sequences (CSI, OSC, DCS …)       removed; one that does not end is shown as ␛ and its text
//	CR LF, CR, NEL, U+2028, U+2029             a newline
//	other control characters                   their picture (␀, ␇, ␡); U+FFFD for U+0080 to U+009F
//	bidi and invisible format controls         their number, for instance [U+202E]
//	invalid UTF-8, noncharacters               U+FFFD
//	::cmd at the start of a line               : :cmd
//	##[cmd], ##vso[, ##teamcity[               ## [cmd], ## vso[, ## teamcity[
//	section_start: and section_end:            section_start :
//
// All functions are pure, linear in their input, and give back their own output
// unchanged.
package text
