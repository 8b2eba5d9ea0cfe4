// Command compare measures Tribunal against its peers on made-up streams and
// holds it to the targets of its contract.
//
//	./scripts/bench/run          # everything; writes scripts/bench/RESULTS.md
//	./scripts/bench/run -quick   # small data, for a look; writes nothing
//	./scripts/bench/run -ours    # without the peers, for work on the program
//	./scripts/bench/run -h       # the other flags
//
// It exists so that anyone can check what we say about speed: one command makes
// the data, installs the peers, lets everybody answer the same questions in
// turns, sees that the answers agree, and judges medians of whole processes.
// The peers are DuckDB, junit2json and tap-parser (npm), go-junit-report and gotestsum (the Go proxy), and
// wc as the limit that the machine sets. Data and peers lie in a cache folder
// outside of the repository.
//
// It needs Go, npm with Node, and a Unix. It leaves out micro-benchmarks, which
// lie with the packages, and proof of growth: a machine can be busy, so tests
// count operations instead, and what is measured here only agrees with them.
package main
