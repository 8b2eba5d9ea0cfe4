// Package mapped reads what no other reader knows: NDJSON, a JSON array, or CSV
// with a header, by a mapping that the user gives.
//
//	test=.meta.name,status=.result.ok,attempt=.run,cost_usd=.usage.cost,duration_ms=.latency*1000
//
// It exists so that nobody has to convert a file, or wait for a reader of their
// runner, to get a report. A field of a trial is on the left, named as in the
// native stream; on the right is a path in each record (the syntax of
// tidwall/gjson, with a leading dot), a column of the CSV, or a word in single
// quotes that is the same for all. A number may be scaled with * or /.
//
// It leaves out detection: only the user knows the mapping.
package mapped
