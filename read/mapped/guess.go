package mapped

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
)

// Guess is what the names of the fields of some records tell of a mapping.
type Guess struct {
	// Spec maps them, and Records is where they stand in a document: both as a user
	// would say them, with placeholders for what the names do not tell.
	Spec, Records string
	// Certain is a guess that leaves no other reading.
	Certain bool
	// Lone is one object that is the whole input, which may be anything.
	Lone bool
	// First is the first record, short; Meant what may have been meant by its names.
	First string
	Meant []string
	// Unread are the fields that are in no part of the mapping.
	Unread []string

	values bool // the records stand one behind the other, not one in each line
}

// Mapping reads the records as the guess says.
func (g Guess) Mapping() (Mapping, error) {
	m, err := Parse(g.Spec, g.Records)
	m.loose = g.values
	return m, err
}

// String says how records are read whose fields are certain.
func (g Guess) String() string {
	return "read by the names of its fields, as --map '" + g.Spec + "' does" +
		words.If(len(g.Unread) > 0, "; not read: "+words.Head(strings.Join(g.Unread, ", "), 200)) +
		words.If(len(g.Meant) > 0, " ("+strings.Join(g.Meant, "; ")+")")
}

// Ask says what is not clear about records that no format claims, and how to read them.
func (g Guess) Ask() string {
	return "cannot tell which fields of its records are the test and its status" +
		words.If(len(g.Meant) > 0, " ("+strings.Join(g.Meant, "; ")+")") +
		"; the first record is " + g.First + "; name them, for instance: --map '" + g.Spec + "'" + words.Around(" --records ", g.Records)
}

// looked is how many records a guess looks at.
const looked = 100

// GuessBy looks at the first bytes of an input, or at all of it. It returns false
// where no name in them means anything, or they begin no records: NDJSON, a JSON array of objects, one in a document, or CSV with a header.
func GuessBy(head []byte, whole bool) (Guess, bool) {
	if end := bytes.LastIndexByte(head, '\n'); !whole && !bytes.HasPrefix(bytes.TrimSpace(head), []byte("[")) {
		head = head[:end+1] // what is behind may be cut
	}
	head = bytes.TrimSpace(head)
	records, in, first := recordsOf(head)
	g := Guess{}
	if len(records) == 0 && bytes.HasPrefix(head, []byte("{")) { // which is no NDJSON
		records, g.values = objectsIn(head, false), true
		if len(records) > 0 {
			var line bytes.Buffer
			_ = json.Compact(&line, []byte(records[0].Raw)) // it was decoded
			first = line.String()
		}
	}
	if len(records) == 0 {
		return Guess{}, false
	}
	g.First, g.Records = words.Head(first, 200), in
	g.Lone = whole && len(records) == 1 && bytes.HasPrefix(head, []byte("{"))
	g.mapFields(records)
	if in != "" || whole && len(records) == 1 && holdsRecords(records[0]) {
		g.Certain = false // a document may hold more than its records
	}
	return g, g.Certain || len(g.Meant) > 0 || strings.Count(g.Spec, ".?") < 2
}

// field is a name, and its values in the records that have it.
type field struct {
	name   string
	values []gjson.Result
}

// simple is a name that a mapping can say as it is.
var simple = regex.Of(`^[\pL\pN_][\pL\pN_ -]*$`)

// tallies are names of counts beside which passed and ok are counts, too, even if no more than one passed.
var tallies = regex.Of(`^(fail(ed|ures?)?|errors?|errored|skipped|total|tests)$`)

func (g *Guess) mapFields(records []gjson.Result) {
	best := map[string][]string{} // paths by field, all of the best rank
	mixed := ""                   // a status that holds words of one, and others
	rank := map[string]int{}
	fields := fieldsOf(records)
	sums := slices.ContainsFunc(fields, func(f field) bool { return tallies().MatchString(spoken(f.name)) && fits(f.values, isCount) })
	own := strings.HasPrefix(g.First, "suite,test,variant,id,trial,attempt,run,outcome,status,") // our csv-trials
	for _, f := range fields {
		m, known := meanings[spoken(f.name)]
		known = known && !(own && f.name == "outcome") // as the trial counted under its policy
		if m.field == "score" && !fits(f.values, isNumber) && fits(f.values, isStatus) {
			m = verdict
		}
		if sums && m.field == "status" && fits(f.values, isCount) {
			m.fits = func(gjson.Result) bool { return false }
		}
		if !known || !simple().MatchString(f.name) || !fits(f.values, m.fits) {
			g.Unread = append(g.Unread, f.name)
			if known && simple().MatchString(f.name) {
				g.unfit(f, m)
				if m.field == "status" && !sums && slices.ContainsFunc(f.values, isStatus) {
					mixed = "." + f.name
				}
			}
			continue
		}
		path := "." + f.name + m.scale
		switch {
		case len(best[m.field]) == 0 || m.rank < rank[m.field]:
			best[m.field], rank[m.field] = []string{path}, m.rank
		case m.rank == rank[m.field]:
			best[m.field] = append(best[m.field], path)
		}
	}
	g.ask(best, records)
	labels := g.labels(records)
	g.Certain = len(best["test"]) == 1 && (len(best["status"]) == 1 || len(best["status"]) == 0 && len(best["score"]) == 1)
	if mixed != "" && len(best["status"]) == 0 {
		best["status"], g.Certain = []string{mixed}, false
	}
	g.Spec = g.spec(best, labels)
	g.suggest(best)
}

// ask leaves out a question beside the id of the task that asks it, where either tells
// the same records apart: then the test is the same one, by its shorter name.
func (g *Guess) ask(best map[string][]string, records []gjson.Result) {
	var id, question string
	for _, path := range best["test"] {
		switch name := strings.TrimPrefix(path, "."); spoken(name) {
		case "taskid":
			id = name
		case "question":
			question = name
		}
	}
	if id == "" || question == "" || len(best["test"]) > 2 {
		return
	}
	asks, asked := map[string]string{}, map[string]string{}
	for _, r := range records {
		this, what := r.Get(id).String(), r.Get(question).String()
		if before, met := asks[this]; met && before != what {
			return
		}
		if before, met := asked[what]; met && before != this {
			return
		}
		asks[this], asked[what] = what, this
	}
	best["test"] = []string{"." + id}
	g.Unread = append(g.Unread, question)
}

// unfit says what a field holds that is called like one which a trial must have, and cannot be that.
func (g *Guess) unfit(f field, m meaning) {
	why := map[string]string{"test": "which is not the name of a test", "score": "which is not a number",
		"status": "which is neither a known status, such as pass or failed, nor true or false"}[m.field]
	i := slices.IndexFunc(f.values, func(v gjson.Result) bool { return !m.fits(v) })
	if why == "" || i < 0 {
		return
	}
	if v := f.values[i]; m.field == "status" && (v.Raw == "0" || v.Raw == "1") {
		why = "which may be a count or an exit code; if 1 means pass, map it to status"
	}
	g.Meant = append(g.Meant, fmt.Sprintf("%s holds %s, %s", f.name, words.Head(f.values[i].Raw, 40), why))
}

func fits(values []gjson.Result, fit func(gjson.Result) bool) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v gjson.Result) bool { return v.Type != gjson.Null && !fit(v) })
}

func fieldsOf(records []gjson.Result) []field {
	var all []field
	at := map[string]int{}
	for _, r := range records {
		r.ForEach(func(name, v gjson.Result) bool {
			i, met := at[name.Str]
			if !met {
				i = len(all)
				at[name.Str] = i
				all = append(all, field{name: name.Str})
			}
			if v.Type != gjson.Null {
				all[i].values = append(all[i].values, v)
			}
			return true
		})
	}
	return all
}

func (g *Guess) labels(records []gjson.Result) []string {
	var parts []string
	for _, r := range records {
		r.Get("labels").ForEach(func(name, v gjson.Result) bool {
			part := "labels." + name.Str + "=.labels." + name.Str
			if simple().MatchString(name.Str) && v.Type == gjson.String && !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
			return true
		})
	}
	if parts != nil {
		g.Unread = slices.DeleteFunc(g.Unread, func(name string) bool { return name == "labels" })
	}
	return parts
}

// spec writes the mapping. Where several fields may be one of a trial, those that it
// must have are named all, for the user to choose; others are left out.
func (g *Guess) spec(best map[string][]string, labels []string) string {
	outcome := cmp.Or(words.If(len(best["status"]) == 0 && len(best["score"]) > 0, "score"), "status")
	part := func(field string) string {
		paths := best[field]
		if len(paths) == 0 {
			return field + "=.?"
		}
		return field + "=" + paths[0]
	}
	parts := []string{part("test"), part(outcome)}
	for _, field := range slices.Sorted(maps.Keys(best)) {
		if field == "test" || field == outcome || len(best[field]) == 0 {
			continue
		}
		if len(best[field]) > 1 {
			for _, path := range best[field] {
				g.Unread = append(g.Unread, strings.TrimPrefix(path, "."))
			}
			continue
		}
		parts = append(parts, part(field))
	}
	return strings.Join(append(parts, labels...), ",")
}

// suggest says of fields without a meaning which known ones are near, and of several
// with the same meaning that there are several.
func (g *Guess) suggest(best map[string][]string) {
	for _, field := range []string{"test", "status"} {
		if len(best[field]) > 1 {
			g.Meant = append(g.Meant, strings.ReplaceAll(strings.Join(best[field], " and "), ".", "")+" may both be the "+field)
		}
	}
	known := slices.Sorted(maps.Keys(setters))
	for _, name := range g.Unread {
		if near := suggest.Near(name, known); len(near) > 0 && near[0] != name {
			g.Meant = append(g.Meant, fmt.Sprintf("%s: did you mean %s?", words.Head(name, 60), near[0]))
			if (near[0] == "test" || near[0] == "status" || near[0] == "score") && simple().MatchString(name) {
				g.Spec = strings.Replace(g.Spec, near[0]+"=.?", near[0]+"=."+name, 1)
			}
		}
	}
}

// Named is a mapping that has a name: --map @name.
type Named struct {
	Spec    string // as a user would write it
	Records string // where the records stand in a document; they may also be the input itself
	// Doc is what the mapping reads, for people.
	Doc string
	// Marks are names of members that a record of such an export has, all of them.
	Marks []string
}

// Platform is the named mapping of a platform.
type Platform struct {
	Name string
	Named
}

// Platforms are the exports of platforms that have no runner, as their APIs and
// their pages write them, and of libraries that leave a table: JSON, JSON lines or CSV.
var Platforms = [...]Platform{
	{"braintrust", Named{
		Doc:     "Braintrust: rows of an experiment, from `/v1/experiment/ID/fetch`, BTQL or the page",
		Records: "events", Marks: []string{"span_attributes", "root_span_id", "scores"},
		Spec: "where=is_root==true || span_parents==~null,test=.metadata.name ?? .origin.id ?? .dataset_record_id ?? .input," +
			"error=.error,checks=.scores,started_at=.metrics.start ?? .created,ended_at=.metrics.end," +
			"tokens=.metrics.tokens ?? .metrics.total_tokens ?? .metrics.prompt_tokens+.metrics.completion_tokens," +
			"cost_usd=.metrics.estimated_cost,tool_calls=.metrics.tool_calls,output=.output"}},
	{"langfuse", Named{
		Doc:     "Langfuse: traces with their scores (a download, `trace.get`), or the scores of `/api/public/scores`",
		Records: "data", Marks: []string{"timestamp", "scores", "observations"},
		Spec: "where=parentObservationId==~null,test=.datasetItemId ?? .name ?? .id,suite=.datasetRunName," +
			"error=.statusMessage,checks=.scores,score=.value,started_at=.timestamp ?? .startTime,ended_at=.endTime," +
			"duration_ms=.latency*1000,cost_usd=.totalCost,tokens=.usage.total,message=.comment,output=.output," +
			"labels.release=.release,labels.environment=.environment"}},
	{"langsmith", Named{
		Doc:     "LangSmith: runs of an experiment with feedback, from `list_runs`",
		Records: "runs", Marks: []string{"run_type", "dotted_order"},
		Spec: "where=parent_run_id==~null,test=.reference_example_id ?? .example_id ?? .name ?? .id," +
			"suite=.session_name,error=.error,checks=.feedback_stats ?? .feedback ?? .evaluation_results.results," +
			"started_at=.start_time,ended_at=.end_time,tokens=.total_tokens,cost_usd=.total_cost,output=.outputs"}},
	{"mlflow", Named{
		Doc:     "MLflow: `eval_results_table.json` by `exact_match`; others: `--map '@mlflow,score=answer_correctness/v1/score/5'`",
		Records: "data", Marks: []string{"columns", "data", "outputs"},
		Spec: "test=.inputs ?? .question ?? .prompt ?? .query ?? .input,score=.exact_match/v1/score ?? .exact_match/score," +
			"duration_ms=.latency*1000,output=.outputs ?? .predictions ?? .answer"}},
	{"phoenix", Named{
		Doc:     "Phoenix: runs of an experiment with annotations, JSON or CSV, from `/v1/experiments/ID/json` or the page",
		Records: "data", Marks: []string{"example_id", "repetition_number"},
		Spec: "test=.example_id,error=.error,checks=.annotations ?? annotation_*_score,started_at=.start_time,ended_at=.end_time," +
			"duration_ms=.latency_ms,tokens=.prompt_token_count+.completion_token_count,output=.output"}},
	{"ragas", Named{
		Doc:     "Ragas: `to_pandas()` of a result in CSV, JSON or JSON lines; metrics of which 1 is best",
		Records: "data", Marks: []string{"user_input", "response", "retrieved_contexts"},
		Spec: "test=.user_input ?? .question,checks=" + strings.Join(ragas[:], "+") + ",output=.response ?? .answer"}},
	{"weave", Named{
		Doc:     "Weave: calls of an evaluation, from `/calls/stream_query` or the page",
		Records: "calls", Marks: []string{"op_name", "trace_id", "inputs"},
		Spec: `where=op_name%"*predict_and_score*",` +
			"test=.inputs.example.id ?? .inputs.example.name ?? .inputs.example,variant=.inputs.model,error=.exception," +
			"checks=.output.scores,started_at=.started_at,ended_at=.ended_at,tokens=.summary.usage.*.total_tokens,output=.output.output"}},
}

// ragas are the metrics of Ragas of which 1 is best, as its columns name them.
var ragas = [...]string{".faithfulness", ".answer_relevancy", ".response_relevancy", ".context_precision", ".context_recall",
	".context_entity_recall", ".context_utilization",
	".llm_context_precision_with_reference", ".llm_context_precision_without_reference", ".non_llm_context_precision_with_reference",
	".non_llm_context_recall",
	".answer_correctness", ".answer_similarity", ".semantic_similarity", ".factual_correctness", ".factual_correctness(mode=f1)",
	".factual_correctness(mode=precision)", ".factual_correctness(mode=recall)",
	".faithfulness_with_hhem", ".summary_score", ".exact_match", ".string_present", ".non_llm_string_similarity", ".bleu_score",
	".rouge_score(mode=fmeasure)",
	".tool_call_accuracy", ".agent_goal_accuracy", ".topic_adherence(mode=f1)", ".nv_accuracy", ".nv_context_relevance",
	".nv_response_groundedness"}

// byName is the mapping of a name, of the user's own or of a platform.
func byName(name string, own map[string]Named) (Mapping, error) {
	n, found := own[name]
	m := Mapping{name: name, loose: true}
	if !found {
		i := slices.IndexFunc(Platforms[:], func(p Platform) bool { return p.Name == name })
		if i < 0 {
			return m, suggest.Unknown("mapping", "@"+name, names(own))
		}
		n, m.quiet = Platforms[i].Named, true
	}
	m.Records = cutDot(n.Records)
	return m, m.add(n.Spec)
}

func names(own map[string]Named) []string {
	all := slices.AppendSeq(each.Of(Platforms[:], func(p Platform) string { return p.Name }), maps.Keys(own))
	slices.Sort(all)
	return each.Of(slices.Compact(all), func(name string) string { return "@" + name })
}

// PlatformOf is the name of the platform whose export an input looks like by its first
// bytes, "" where it looks like none.
func PlatformOf(head []byte) string {
	start := string(head[:min(len(head), 8<<10)])
	quote := ""
	if first := strings.TrimLeft(start, "\uFEFF \t\r\n"); strings.HasPrefix(first, "{") || strings.HasPrefix(first, "[") {
		quote = `"`
	}
	for _, p := range Platforms {
		if !slices.ContainsFunc(p.Marks, func(mark string) bool { return !strings.Contains(start, quote+mark+quote) }) {
			return p.Name
		}
	}
	return ""
}
