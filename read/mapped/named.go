package mapped

import (
	"slices"
	"strings"

	"tribunal/internal/suggest"
)

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
		Spec: "where=is_root==true || span_parents==~null," +
			"test=.metadata.name ?? .origin.id ?? .dataset_record_id ?? .input," +
			"error=.error,checks=.scores,started_at=.metrics.start ?? .created,ended_at=.metrics.end," +
			"tokens=.metrics.tokens ?? .metrics.total_tokens ?? .metrics.prompt_tokens+.metrics.completion_tokens," +
			"cost_usd=.metrics.estimated_cost,tool_calls=.metrics.tool_calls,output=.output"}},
	{"langfuse", Named{
		Doc:     "Langfuse: traces with their scores (a download, `trace.get`), or the scores of `/api/public/scores`",
		Records: "data", Marks: []string{"timestamp", "scores", "observations"},
		Spec: "where=parentObservationId==~null," +
			"test=.datasetItemId ?? .name ?? .id,suite=.datasetRunName," +
			"error=.statusMessage,checks=.scores,score=.value,started_at=.timestamp ?? .startTime,ended_at=.endTime," +
			"duration_ms=.latency*1000,cost_usd=.totalCost,tokens=.usage.total,message=.comment,output=.output," +
			"labels.release=.release,labels.environment=.environment"}},
	{"langsmith", Named{
		Doc:     "LangSmith: runs of an experiment with feedback, from `list_runs`",
		Records: "runs", Marks: []string{"run_type", "dotted_order"},
		Spec: "where=parent_run_id==~null," +
			"test=.reference_example_id ?? .example_id ?? .name ?? .id," +
			"suite=.session_name,error=.error,checks=.feedback_stats ?? .feedback ?? .evaluation_results.results,started_at=.start_time,ended_at=.end_time," +
			"tokens=.total_tokens,cost_usd=.total_cost,output=.outputs"}},
	{"mlflow", Named{
		Doc:     "MLflow: `eval_results_table.json`, by exact match; another: `--map '@mlflow,score=answer_correctness/v1/score/5'`",
		Records: "data", Marks: []string{"columns", "data", "outputs"},
		Spec: "test=.inputs ?? .question ?? .prompt ?? .query ?? .input," +
			"score=.exact_match/v1/score ?? .exact_match/score," +
			"duration_ms=.latency*1000,output=.outputs ?? .predictions ?? .answer"}},
	{"phoenix", Named{
		Doc:     "Phoenix: runs of an experiment with annotations, JSON or CSV, from `/v1/experiments/ID/json` or the page",
		Records: "data", Marks: []string{"example_id", "repetition_number"},
		Spec: "test=.example_id,error=.error,checks=.annotations ?? annotation_*_score,started_at=.start_time,ended_at=.end_time,duration_ms=.latency_ms," +
			"tokens=.prompt_token_count+.completion_token_count,output=.output"}},
	{"ragas", Named{
		Doc:     "Ragas: `to_pandas()` of a result in CSV, JSON or JSON lines; metrics of which 1 is best",
		Records: "data", Marks: []string{"user_input", "response", "retrieved_contexts"},
		Spec: "test=.user_input ?? .question,checks=" + strings.Join(ragas[:], "+") + ",output=.response ?? .answer"}},
	{"weave", Named{
		Doc:     "Weave: calls of an evaluation, from `/calls/stream_query` or the page",
		Records: "calls", Marks: []string{"op_name", "trace_id", "inputs"},
		Spec: `where=op_name%"*predict_and_score*",` +
			"test=.inputs.example.id ?? .inputs.example.name ?? .inputs.example," +
			"variant=.inputs.model,error=.exception,checks=.output.scores,started_at=.started_at,ended_at=.ended_at," +
			"tokens=.summary.usage.*.total_tokens,output=.output.output"}},
}

// ragas are the metrics of Ragas of which 1 is best, as its columns name them.
var ragas = [...]string{".faithfulness", ".answer_relevancy", ".response_relevancy", ".context_precision", ".context_recall", ".context_entity_recall", ".context_utilization",
	".llm_context_precision_with_reference", ".llm_context_precision_without_reference", ".non_llm_context_precision_with_reference", ".non_llm_context_recall",
	".answer_correctness", ".answer_similarity", ".semantic_similarity", ".factual_correctness", ".factual_correctness(mode=f1)", ".factual_correctness(mode=precision)", ".factual_correctness(mode=recall)",
	".faithfulness_with_hhem", ".summary_score", ".exact_match", ".string_present", ".non_llm_string_similarity", ".bleu_score", ".rouge_score(mode=fmeasure)",
	".tool_call_accuracy", ".agent_goal_accuracy", ".topic_adherence(mode=f1)", ".nv_accuracy", ".nv_context_relevance", ".nv_response_groundedness"}

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
	var all []string
	for name := range own {
		all = append(all, "@"+name)
	}
	for _, p := range Platforms {
		all = append(all, "@"+p.Name)
	}
	slices.Sort(all)
	return slices.Compact(all)
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
