// Package history keeps judged runs, so that the next report can say what
// changed since: in one SQLite file for a person or a job, in PostgreSQL for a
// team. Both hold the same tables, made by the same migrations, and pass the
// same tests.
//
// It exists to be the only place that knows a database. What runs mean over
// time is computed in package trend; how a run is judged, in package verdict.
// It leaves out users, permissions and servers: who may reach the database may
// read and write it.
//
// # What is stored
//
// A run is stored whole: its envelope, compressed, so that it comes out as it
// went in. Beside it stand, for reading many runs fast, its header, policy and
// summary as JSON, and one compact blob of the counts of its tests. The names
// of the tests are stored once for all runs that have the same tests (a roster),
// so that the trend of 10,000 tests over 1,000 runs reads 1,000 blobs instead of
// ten million rows.
//
// Texts are stored as JSON, because PostgreSQL has no place for the NUL that a
// test's name may hold.
//
// # Promises
//
// A run is added in one transaction, so it is there whole or not at all, even
// when the process is killed. Its id is a hash of what was counted (header and
// trials), so adding it again changes nothing, whatever policy or version judged
// it. Writers queue behind one row, or one file lock; none is lost.
package history
