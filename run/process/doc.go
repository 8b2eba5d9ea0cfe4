// Package process starts the commands of a run, keeps what they write, ends them
// when their time is over, and sees to it that nothing of a trial lives on,
// whatever it did: processes that left their group or session, daemons, ignored
// signals, also when this program panics or is killed by kill -9.
//
// A [Group] is made once in a run by [Open], which is what changes settings of the
// whole process; to import the package changes nothing. [Group.Start] starts one
// command and [Process.Wait] gives its [End].
//
// # How a process is known again
//
// Every command is the leader of a session, and so of a process group, of its own,
// and has its identifier in the environment as TRIBUNAL_TRIAL, the cookie. What it
// starts inherits both. Whenever a leader has exited, also by itself with code 0,
// it is kept as a zombie, so that its number cannot be another's, until its group
// was killed and nobody is left who is in its group or session, carries its cookie,
// or descends from one who does.
//
// On Linux this program adopts orphans (PR_SET_CHILD_SUBREAPER), so that whoever
// escaped by losing its parents becomes a child of ours. To look at our own
// children therefore tells whether anything is left, and /proc is read only if so.
// Adopted orphans are reaped by their number, so that nobody else's child is taken.
// An orphan that has neither group, session nor cookie of a trial is nobody's for
// sure; it is ended as soon as no command runs. Children that other code of this
// program starts are in this program's own session, in which no orphan of a trial
// can be, and are left alone.
//
// When this program dies, the watcher does the same from outside: this binary,
// started once a run, holding the other end of a pipe ([WatcherMain]).
//
// # Limits
//
// What has left its group and session, cleared its environment and lost its parents
// before this program is killed by kill -9 or panics is beyond the watcher. So are
// those of another user (sudo), whom nobody but root may kill: they are counted as
// [End.Survived].
//
// On macOS there is nothing like the adoption of orphans: all processes are looked
// at after each end, and one that has dropped group, session and cookie lives on.
//
// On Windows each command is in a job object that ends all of it when its last
// handle is closed, be it because this program died. A request to end is
// CTRL_BREAK, which console programs get. There is no watcher, no cookie is looked
// for, and the groups are not suspended. This is compiled for every change, but the
// tests of escapes are for Linux.
//
// Containers do not die with their client; end them by name in a command of their
// own. The package leaves out what a command means: placeholders, exit codes,
// formats, attempts.
package process
