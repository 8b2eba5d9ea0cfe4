// Package count counts trials: of any number of inputs it makes one envelope.Run.
//
// It exists so that order, duplicates, conflicts, merging and the choice of
// details are decided once, whatever the format a trial came in and whichever
// shard delivered it first: the same trials in another order, in other files, or
// read back from an envelope give the same run.
//
//	b := count.NewBuilder(5, 0.5)
//	in := b.Input("trials.ndjson", "native") // an envelope.Sink, for a reader
//	in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass})
//	in.Close()
//	run := b.Run(envelope.ConflictExtend, 5)
//
// It leaves out what a trial counts as (envelope.Rows.Classify), judging
// (package verdict) and bytes (packages read and envelope/wire).
package count
