package preset

import "tribunal/envelope"

// Preset is a runner whose commands are completed: a row of the table.
type Preset struct {
	Name    string
	From    string // input format that its starts are read as
	OutName string // what the name behind {out} must end in, where the runner asks for it

	// invocations are the words that identify the command, other the words that may not
	// follow them.
	invocations []string
	other       string

	// list and start are the lines that list the tests and start a trial. COMMAND,
	// OPTIONS, OPERANDS and REST are the parts of the command that was given; REST is
	// what the runner hands on. Without a list, every start runs all tests.
	list, start string
	env         string // what both need in the environment
	lister      func(*command) (func(stdout []byte) ([]Test, error), error)
	spell       map[string]func(Test) string
	compile     func(*command) func(suite, folder string) *Compilation
	printed     func(stdout []byte, asked []Test) []envelope.Trial
	narrow      func(*command) (arguments func(asked, all []Test) []string, learn func(output []byte))

	// split parses the arguments. An option of valued takes the next argument as its value,
	// one of variadic all that follow; hands is the separator before REST.
	split                      func(*Preset, *command, []string) error
	valued, variadic, switches string
	hands                      string
	listing                    string // the last word of COMMAND in the list
	selects                    string // options that a start does not repeat, as those that say which tests
	running                    string // options that the list does not know or repeats

	refused []refusal
}

// refusal is an option that contradicts a run of trials: with any value but one,
// or with one that has a text in it.
type refusal struct{ flags, unless, together, why string }

// What is said to several runners.
const (
	repeats = "remove it; -n before the -- sets the number of trials"
	retries = "it hides failures; remove it"
	reports = "remove it, because Tribunal sets its own report; name reports with -o before the --"
	watches = "a start must end by itself; remove it"
	only    = "put --only-failed RUN before the -- instead"
	stops   = "it would skip tests; remove it. To stop at the first failed test, put --fail-fast before the --"
	shards  = "put --shard before the -- instead"
	nothing = "it runs no tests; remove it"
)

var table = []Preset{
	{
		Name: "go-test", From: "go-test", invocations: []string{"go test"},
		list:   "COMMAND OPTIONS -json -list=RUN OPERANDS REST",
		start:  "COMMAND OPTIONS -json -count=1 -run={tests:regex} PACKAGE REST",
		lister: listGo, spell: map[string]func(Test) string{"test:regex": spellGo}, compile: compileGo,
		split: (*Preset).goFlags,
		valued: "-C -p -asmflags -buildmode -compiler -gccgoflags -gcflags -installsuffix -ldflags -mod -modfile -overlay -pgo -pkgdir -tags " +
			"-toolexec -covermode -coverpkg -vet -exec -o -bench -benchtime -blockprofile -blockprofilerate -count -coverprofile " +
			"-cpu -cpuprofile -fuzz -fuzzcachedir -fuzzminimizetime -fuzztime -list -memprofile -memprofilerate -mutexprofile " +
			"-mutexprofilefraction -outputdir -parallel -run -shuffle -skip -timeout -trace",
		switches: "-a -n -x -v -i -c -race -msan -asan -cover -work -trimpath -linkshared -modcacherw -buildvcs -json -short -failfast " +
			"-benchmem -fullpath -artifacts",
		selects: "-run", running: "-run",
		refused: []refusal{
			{flags: "-count", unless: "1", why: repeats},
			{flags: "-cpu", together: ",", why: "it runs each test several times, which the output does not separate; give one number"},
			{flags: "-failfast", unless: "false", why: stops},
			{flags: "-list -c -n", unless: "false", why: nothing},
			{flags: "-bench -fuzz", why: "benchmarks and fuzzing have no verdict; remove it"},
		},
	},
	{
		Name: "pytest", From: "junit", invocations: []string{"pytest", "pytest-3", "py.test", "-m pytest"},
		list: "COMMAND OPTIONS -p no:rerunfailures -p no:repeat --collect-only --verbosity=-1 OPERANDS",
		// A limit of coverage, which pytest-cov holds against some of the tests, fails a start: _cov is what measures.
		start: "COMMAND OPTIONS -p no:rerunfailures -p no:repeat -p no:_cov --maxfail=0 --verbosity=1 -o junit_suite_name=pytest-once " +
			"--junit-prefix= --junit-xml={out} {tests}",
		lister: listPytest, spell: map[string]func(Test) string{"test": spellPytest}, printed: printedByPytest,
		split: (*Preset).splitOptions,
		valued: "-k -m -c -o -p -r -W -n --config-file --override-ini --pythonwarnings --rootdir --confcutdir --ignore --ignore-glob " +
			"--deselect --maxfail --durations --durations-min --tb --show-capture --capture --color --code-highlight " +
			"--log-level --log-format --log-date-format --log-cli-level --log-cli-format --log-cli-date-format --log-file --log-file-mode " +
			"--log-file-level --log-file-format --log-file-date-format --log-auto-indent --log-disable " +
			"--basetemp --import-mode --verbosity --junit-xml --junitxml --junit-prefix --junitprefix --pastebin --debug --doctest-report " +
			"--doctest-glob --cache-show --lfnf --last-failed-no-failures --assert --pdbcls --stepwise-reset " +
			"--numprocesses --maxprocesses --max-worker-restart --dist --tx --timeout --timeout-method --reruns --reruns-delay --only-rerun " +
			"--rerun-except --count --repeat-scope --html --css --json-report-file --report-log " +
			"--cov --cov-report --cov-config --cov-fail-under --cov-context --asyncio-mode --randomly-seed --ds --dc --base-url --browser " +
			"--browser-channel --device --slowmo --tracing --video --screenshot --output --splits --group",
		switches: "-v -q -s -x -l -h -f --exitfirst --verbose --quiet --no-header --no-summary --lf --last-failed --ff --failed-first --nf " +
			"--new-first --sw --stepwise --sw-skip --stepwise-skip --cache-clear --collect-only --co --collectonly --fixtures " +
			"--funcargs --fixtures-per-test --markers --strict --strict-config --strict-markers --continue-on-collection-errors " +
			"--disable-warnings --disable-pytest-warnings --showlocals --no-showlocals --full-trace --fulltrace --runxfail " +
			"--setup-only --setuponly --setup-show --setupshow --setup-plan --setupplan --trace --trace-config --traceconfig --pdb " +
			"--pyargs --noconftest --keep-duplicates --keepduplicates --collect-in-virtualenv --doctest-modules " +
			"--doctest-ignore-import-errors --doctest-continue-on-failure --version --help --looponfail --no-cov --no-cov-on-fail " +
			"--cov-branch --cov-append --headed --full-page-screenshot --reuse-db --create-db --nomigrations --no-migrations " +
			"--self-contained-html --snapshot-update --json-report --force-sugar --benchmark-skip --benchmark-disable",
		refused: []refusal{
			{flags: "--count", unless: "1", why: repeats},
			{flags: "--reruns --reruns-delay --only-rerun --rerun-except", why: retries},
			{flags: "--junit-xml --junitxml --junit-prefix --junitprefix", why: reports},
			{flags: "--lf --last-failed --sw --stepwise --sw-skip --stepwise-skip", why: only},
			{flags: "-x --exitfirst", why: stops},
			{flags: "--maxfail", unless: "0", why: stops},
			{flags: "--collect-only --co --collectonly --fixtures --funcargs --fixtures-per-test --markers --setup-only --setuponly --setup-plan " +
				"--setupplan --version --help -h --cache-show", why: nothing},
			{flags: "--pdb --trace -f --looponfail", why: watches},
		},
	},
	{
		Name: "playwright", From: "playwright", invocations: []string{"playwright test"},
		list: "COMMAND OPTIONS --repeat-each=1 --list --reporter=json OPERANDS",
		// Every start empties the folder of its attachments, which is why each has its own.
		start:  "COMMAND --output={dir}/results OPTIONS --retries=0 --repeat-each=1 --workers=1 --reporter=json --grep={test:regex} {suite}",
		env:    "PLAYWRIGHT_JSON_OUTPUT_NAME={out}", // on standard output, what the configuration prints comes before the report
		lister: listPlaywright, spell: map[string]func(Test) string{"test:regex": spellPlaywright, "suite": spellFile},
		split: (*Preset).splitOptions,
		valued: "-c --config -g --grep -G --grep-invert -j --workers --reporter --add-reporter --retries --repeat-each --shard --timeout " +
			"--trace --tsconfig --output --browser --global-timeout --max-failures -u --update-snapshots --update-source-method " +
			"--only-changed --test-list --test-list-invert --last-failed-file --ui-host --ui-port --shuffle --run-agents",
		variadic: "--project",
		switches: "-x -h --help --headed --fail-on-flaky-tests --forbid-only --fully-parallel --ignore-snapshots --no-deps " +
			"--pass-with-no-tests --quiet --ui --debug --list --last-failed",
		selects: "-g --grep",
		refused: []refusal{
			{flags: "--repeat-each", unless: "1", why: repeats},
			{flags: "--retries", unless: "0", why: retries},
			{flags: "--reporter --add-reporter", why: reports},
			{flags: "--last-failed", why: only},
			{flags: "-x", why: stops},
			{flags: "--max-failures", unless: "0", why: stops},
			{flags: "--shard", why: shards},
			{flags: "--list -h --help", why: nothing},
			{flags: "--ui --debug", why: watches},
		},
	},
	{
		Name: "jest", From: "jest", invocations: []string{"jest", "jest.js"},
		start:  "COMMAND OPTIONS --json --outputFile={out} REST",
		narrow: narrowJest,
		split:  (*Preset).keepArguments,
		valued: "--outputFile --bail",
		refused: []refusal{
			{flags: "--outputFile", why: reports},
			{flags: "-b --bail", unless: "false", why: stops},
			{flags: "-f --onlyFailures", unless: "false", why: only},
			{flags: "--listTests --showConfig --init -h --help --version", unless: "false", why: nothing},
			{flags: "--watch --watchAll", unless: "false", why: watches},
		},
	},
	{
		Name: "vitest", From: "jest", invocations: []string{"vitest run", "vitest.mjs run", "vitest", "vitest.mjs"},
		other:  "watch dev bench init list related typecheck",
		start:  "COMMAND OPTIONS --run --retry=0 --reporter=json --outputFile={out} REST",
		narrow: narrowVitest,
		split:  (*Preset).keepArguments,
		valued: "--retry --reporter --bail",
		refused: []refusal{
			{flags: "--retry", unless: "0", why: retries},
			{flags: "--reporter --outputFile --outputFile.json --mergeReports", why: reports},
			{flags: "--bail", unless: "0", why: stops},
			{flags: "-h --help -v --version", why: nothing},
			{flags: "-w --watch --ui", unless: "false", why: watches},
		},
	},
	{
		Name: "nextest", From: "libtest", invocations: []string{"nextest run", "nextest r"}, listing: "list",
		list:   "COMMAND OPTIONS --message-format json OPERANDS REST",
		start:  "COMMAND OPTIONS --retries 0 --message-format libtest-json -E {test} OPERANDS REST",
		env:    "NEXTEST_EXPERIMENTAL_LIBTEST_JSON=1",
		lister: listNextest, spell: map[string]func(Test) string{"test": spellNextest},
		split: (*Preset).splitOptions, hands: "--",
		valued: "-p --package --exclude --bin --example --test --bench --features -F --target --target-dir --manifest-path --profile -P " +
			"--cargo-profile --config --config-file --user-config-file --tool-config-file -Z --color --build-jobs --lockfile-path --timings " +
			"-E --filterset --filter-expr --filter-expression --run-ignored --partition --platform-filter --cargo-metadata --binaries-metadata " +
			"--workspace-remap --target-dir-remap --archive-file --archive-format --extract-to " +
			"-j --test-threads --jobs --retries --flaky-result --max-fail --no-tests --stress-count --stress-duration --failure-output " +
			"--success-output --status-level --final-status-level --show-progress --max-progress-running --message-format " +
			"--message-format-version --debugger --tracer -R --rerun",
		switches: "--workspace --all --lib --bins --examples --tests --benches --all-targets --all-features --no-default-features --release " +
			"-r --locked --offline --frozen --ignore-rust-version --unit-graph --future-incompat-report --cargo-quiet " +
			"--cargo-verbose -q -v --verbose --quiet --ignore-default-filter --override-version-check --extract-overwrite " +
			"--persist-extract-tempdir --no-pager --fail-fast --ff --no-fail-fast --nff --no-run --no-capture --nocapture " +
			"--hide-progress-bar --no-output-indent --no-input-handler --keep-going",
		selects: "-E --filterset --filter-expr --filter-expression --retries", // nextest takes --retries once
		running: "-j --test-threads --jobs --flaky-result --retries --max-fail --no-tests --failure-output --success-output --status-level " +
			"--final-status-level --show-progress --max-progress-running --fail-fast --ff --no-fail-fast --nff --hide-progress-bar " +
			"--no-output-indent --no-input-handler",
		refused: []refusal{
			{flags: "--stress-count --stress-duration", why: repeats},
			{flags: "--retries", unless: "0", why: retries},
			{flags: "--message-format --message-format-version", why: reports},
			{flags: "-R --rerun", why: only},
			{flags: "--partition", why: shards},
			{flags: "--no-run -h --help", why: nothing},
			{flags: "--no-capture --nocapture", why: "the output of tests would mix with the report; remove it"},
			{flags: "--debugger --tracer", why: watches},
		},
	},
	{
		Name: "promptfoo", From: "promptfoo", OutName: ".json", invocations: []string{"promptfoo eval", "pf eval"},
		// Starts at once would end each other by writing into one database.
		start:  "COMMAND OPTIONS --no-cache --no-write --repeat 1 -o {out} REST",
		narrow: narrowPromptfoo,
		split:  (*Preset).keepArguments,
		valued: "--repeat -o --output",
		refused: []refusal{
			{flags: "--repeat", unless: "1", why: repeats},
			{flags: "--retry-errors --resume", why: retries},
			{flags: "-o --output", why: reports},
			{flags: "-h --help", why: nothing},
			{flags: "-w --watch", why: watches},
		},
	},
}
