// Package native reads the trial stream of Tribunal, tribunal/trials/v1: one
// JSON object a line.
//
// It exists because this is the one format every runner can print with a single
// statement, and the one that is read at the speed of the disk: records are
// scanned in place, without a tree and without memory per trial. For that it
// has a JSON scanner of its own, which accepts exactly what encoding/json
// accepts and tells line and column of what it does not.
//
// There are two ways through it, and one may not tell which was taken. The
// careful way (record.go) reads any line and says all that is wrong with it. The
// quick way (quick.go) reads the records that runners really write, several
// blocks of the input side by side (worker.go), into the columns where their
// numbers stay; what it does not know at a glance it leaves to the careful way.
//
// It leaves out judging, ordering and finding duplicates, which are the
// business of package count, and decompression, which is the business of
// package read.
//
// Nothing is lost silently. A line that is no record is noise and counted. A
// record that cannot be read is a problem with its place, and reading goes on.
// An optional field that cannot be read is a problem too, and its trial counts.
package native
