package redact

import (
	"slices"
	"strings"
)

// detectors is the table of what is found without being asked for, the most
// telling first: where two find the same text, the first names it. The shapes
// are those their issuers publish or hand out.
var detectors = slices.Concat(cloud, models, forges, services, protocols, assignments)

// cloud are the keys of cloud providers.
var cloud = []detector{
	{kind: "aws-access-key", literals: []string{"akia", "asia", "abia", "acca"}, pattern: `A[KSBC][IC]A[A-Z0-9]{16}`, secret: endsThere},
	{kind: "aws-bedrock-key", literals: []string{"absk"}, pattern: `ABSK[A-Za-z0-9+/]{60,}={0,2}`, alone: true},
	{kind: "aws-secret-key", literals: []string{"secret_access_key", "secretaccesskey", "secret-access-key"},
		pattern: `[a-zA-Z_-]+["'\]\\]{0,4}\s{0,3}(?:=>|:=|=|:|>)\s{0,3}\\{0,4}["']?([A-Za-z0-9/+]{40})`, secret: endsThere},
	{kind: "google-api-key", literals: []string{"aiza"}, pattern: `AIza[\w-]{35}`, prefix: true},
	{kind: "google-oauth", literals: []string{"ya29.", "gocspx-"}, pattern: `ya29\.[\w.-]{20,}|GOCSPX-[\w-]{20,}`, prefix: true},
	{kind: "azure-storage-key", literals: []string{"accountkey="}, pattern: `(?i)AccountKey=([A-Za-z0-9+/]{40,}={0,2})`},
	{kind: "azure-access-key", literals: []string{"sharedaccesskey="}, pattern: `(?i)SharedAccessKey=([A-Za-z0-9+/]{40,}={0,2})`},
	{kind: "azure-sas", literals: []string{"sig="}, pattern: `sig=((?:[A-Za-z0-9+/]|%2[BbFf]){40,}(?:=|%3[Dd])?)`, alone: true},
	{kind: "azure-client-secret", literals: []string{"q~"}, pattern: `[\w~.]{3}\dQ~[\w~.-]{31,34}`, back: 4},
	{kind: "azure-devops-token", literals: []string{"azdo"}, pattern: `[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}`, back: 76},
	{kind: "digitalocean-token", literals: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, pattern: `do[opr]_v1_[a-f0-9]{64}`, prefix: true},
	{kind: "databricks-token", literals: []string{"dapi"}, pattern: `dapi[a-f0-9]{32}(?:-\d)?`},
}

// models are the keys of those who serve language models.
var models = []detector{
	{kind: "anthropic-key", literals: []string{"sk-ant-"}, pattern: `sk-ant-[\w-]{20,}`, prefix: true},
	{kind: "openrouter-key", literals: []string{"sk-or-"}, pattern: `sk-or-[\w-]{20,}`, prefix: true},
	{kind: "langfuse-key", literals: []string{"sk-lf-"}, pattern: `sk-lf-[\w-]{20,}`, prefix: true},
	{kind: "openai-key", literals: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-none-"}, pattern: `sk-(?:proj|svcacct|admin|None)-[\w-]{20,}`, prefix: true},
	{kind: "openai-key", literals: []string{"sk-"}, pattern: `sk-[A-Za-z0-9]{20,}`, alone: true, secret: hasDigit},
	{kind: "huggingface-token", literals: []string{"hf_", "api_org_"}, pattern: `(?:hf|api_org)_[A-Za-z0-9]{30,}`, alone: true},
	{kind: "groq-key", literals: []string{"gsk_"}, pattern: `gsk_[A-Za-z0-9]{40,}`, alone: true, prefix: true},
	{kind: "xai-key", literals: []string{"xai-"}, pattern: `xai-[A-Za-z0-9]{60,}`, alone: true},
	{kind: "perplexity-key", literals: []string{"pplx-"}, pattern: `pplx-[A-Za-z0-9]{40,}`, prefix: true},
	{kind: "replicate-token", literals: []string{"r8_"}, pattern: `r8_[A-Za-z0-9]{37,}`, alone: true},
	{kind: "nvidia-key", literals: []string{"nvapi-"}, pattern: `nvapi-[\w-]{40,}`, prefix: true},
	{kind: "elevenlabs-key", literals: []string{"sk_"}, pattern: `sk_[a-f0-9]{48}`, alone: true},
	{kind: "langsmith-key", literals: []string{"lsv2_"}, pattern: `lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{8,}`, prefix: true},
	{kind: "tavily-key", literals: []string{"tvly-"}, pattern: `tvly-[\w-]{20,}`, prefix: true},
}

// forges are the tokens of code hosts and package registries.
var forges = []detector{
	{kind: "github-token", literals: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, pattern: `gh[pousr]_\w{36,}`, prefix: true},
	{kind: "github-token", literals: []string{"github_pat_"}, pattern: `github_pat_\w{22,}`, prefix: true},
	{kind: "gitlab-token", literals: []string{"glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glcbt-", "glft-", "glagent-", "glimt-", "gloas-", "glffct-"},
		pattern: `gl[a-z]{2,5}-[\w.-]{19,}\w`, prefix: true},
	{kind: "gitlab-token", literals: []string{"gr1348941"}, pattern: `GR1348941[\w-]{20,}`, prefix: true},
	{kind: "npm-token", literals: []string{"npm_"}, pattern: `npm_[A-Za-z0-9]{36,}`, alone: true},
	{kind: "pypi-token", literals: []string{"pypi-age"}, pattern: `pypi-AgE[\w-]{40,}`, prefix: true},
	{kind: "rubygems-key", literals: []string{"rubygems_"}, pattern: `rubygems_[a-f0-9]{48}`},
	{kind: "docker-token", literals: []string{"dckr_pat_", "dckr_oat_"}, pattern: `dckr_[po]at_[\w-]{20,}`, prefix: true},
	{kind: "atlassian-token", literals: []string{"atatt3", "atctt3"}, pattern: `AT[AC]TT3[\w=-]{60,}`, prefix: true},
}

// services are the keys of other services.
var services = []detector{
	{kind: "slack-token", literals: []string{"xoxa-", "xoxb-", "xoxe-", "xoxe.xox", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"}, pattern: `x(?:ox[a-z]|app)(?:\.xox[bp])?-[\w-]{10,}`, prefix: true},
	{kind: "slack-webhook", literals: []string{"hooks.slack.com/"}, pattern: `hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{20,})`},
	{kind: "discord-webhook", literals: []string{"/api/webhooks/"}, pattern: `/api/webhooks/(\d{10,}/[\w-]{40,})`},
	{kind: "stripe-key", literals: []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"}, pattern: `(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})`, prefix: true},
	{kind: "sendgrid-key", literals: []string{"sg."}, pattern: `SG\.[\w-]{16,32}\.[\w-]{16,64}`, alone: true},
	{kind: "mailchimp-key", literals: []string{"-us"}, pattern: `[0-9a-f]{32}-us\d{1,2}`, back: 32, secret: endsThere},
	{kind: "mailgun-key", literals: []string{"key-"}, pattern: `key-[0-9a-f]{32}`, alone: true, secret: endsThere},
	{kind: "shopify-token", literals: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, pattern: `shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`, prefix: true},
	{kind: "grafana-token", literals: []string{"glsa_", "glc_ey"}, pattern: `gl(?:sa|c)_[\w=+/-]{32,}`, prefix: true},
	{kind: "vault-token", literals: []string{"hvs.", "hvb.", "hvr."}, pattern: `hv[sbr]\.[\w-]{24,}`, alone: true, secret: hasDigit},
	{kind: "terraform-token", literals: []string{".atlasv1."}, pattern: `[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}`, back: 14},
	{kind: "linear-key", literals: []string{"lin_api_"}, pattern: `lin_api_[A-Za-z0-9]{32,}`, prefix: true},
	{kind: "notion-token", literals: []string{"ntn_"}, pattern: `ntn_[A-Za-z0-9]{40,}`, alone: true},
	{kind: "postman-key", literals: []string{"pmak-"}, pattern: `PMAK-[a-f0-9]{24}-[a-f0-9]{34}`, prefix: true},
	{kind: "newrelic-key", literals: []string{"nrak-"}, pattern: `NRAK-[A-Z0-9]{27}`, prefix: true},
	{kind: "sentry-token", literals: []string{"sntrys_", "sntryu_"}, pattern: `sntry[su]_[\w=+/-]{40,}`, prefix: true},
	{kind: "supabase-key", literals: []string{"sbp_", "sb_secret_"}, pattern: `sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,}`, alone: true},
	{kind: "figma-token", literals: []string{"figd_"}, pattern: `figd_[\w-]{30,}`, prefix: true},
	{kind: "age-key", literals: []string{"age-secret-key-1"}, pattern: `(?i)AGE-SECRET-KEY-1[A-Z0-9]{30,}`, prefix: true},
}

// protocols are credentials in the shape a protocol gives them.
var protocols = []detector{
	{kind: "private-key", literals: []string{"-----begin"}, window: 1 << 16,
		pattern: `-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:` + keyBody + `-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----|` + keyRest + `)`},
	{kind: "private-key", literals: []string{"-----end"}, pattern: `-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----`},
	{kind: "jwt", literals: []string{"eyj"}, window: 1 << 13, pattern: `eyJ[\w-]{10,}\.(?:eyJ[\w-]{4,}(?:\.[\w-]*)*|[\w-]*\.[\w-]*(?:\.[\w-]*)*)`, alone: true},
	{kind: "authorization", literals: []string{"authorization"}, after: `"'\]:= `,
		pattern: `[a-zA-Z]+["'\]\\]{0,4}\s{0,3}[:=]\s{0,3}\\{0,4}["']?(?:(?i:bearer|basic|token|digest|negotiate|apikey|key|aws4-hmac-sha256)[\s+]{1,3})?([^\s"'\\,;&<>\[]{8,})`, secret: credential},
	{kind: "bearer-token", literals: []string{"bearer"}, after: " \t:=+", pattern: `[a-zA-Z]+[\s:=+]{1,3}([A-Za-z0-9._~+/=-]{16,})`, alone: true, secret: credential},
	{kind: "basic-auth", literals: []string{"basic"}, after: " \t+", pattern: `[a-zA-Z]+[\s+]{1,3}([A-Za-z0-9+/_-]{8,}={0,2})`, alone: true, secret: userAndPassword},
	{kind: "url-password", literals: []string{"://"}, pattern: `://[^\s/?#:@"'<>\\\x00]{0,128}:([^\s/?#@"'<>\x00]{1,256})@[A-Za-z0-9\[_%$-]`, secret: real},
}

const (
	// keyBody is what may stand inside a whole key, armour headers included.
	keyBody = `(?:[^-]|-{1,4}[^-])*?`
	// keyRest is the body of a key that has no end: long runs of base64, also
	// with escaped line breaks, and what is left of one more.
	keyRest = `(?:(?:\s|\\+[nrt]|[\w-]+: [^\n\\]{1,80})*[A-Za-z0-9+/=]{16,})*(?:(?:\s|\\+[nrt])*[A-Za-z0-9+/=]{1,64})?`
)

// assignments are values given to names that say what they hold, in code, JSON,
// YAML, headers, query strings and connection strings.
var assignments = []detector{
	assigned("password", "password", "passwd", "passphrase", "pwd"),
	assigned("secret", "secret", "secret_key", "secret-key", "secretkey"),
	assigned("token", "token"),
	assigned("api-key", "api_key", "api-key", "apikey", "access_key", "access-key", "accesskey", "auth_key", "auth-key", "authkey",
		"private_key", "private-key", "privatekey", "account_key", "accountkey", "encryption_key", "signing_key", "credential", "credentials"),
}

func assigned(kind string, names ...string) detector {
	return detector{kind: kind, literals: names, after: " \t\"'\\]:=>", pattern: `[a-zA-Z_-]+` + assignment(8), secret: assignedSecret}
}

// assignment is what follows the name: its closing quotes, a sign, a value of
// at least so many characters, in quotes or up to the next blank.
func assignment(least int) string {
	value := strings.ReplaceAll(`(?:"((?:[^"\\\r\n]|\\+[^\r\n]){N,})|'((?:[^'\\\r\n]|\\+[^\r\n]){N,})|`+"`([^`\r\n]{N,})"+
		`|\\{1,8}["']([^"'\r\n]{N,})|([^\s"'\x60&;\\:=<>](?:[^\s"'\x60&;\\<]|\\[^nrt"'\\\s]){M,}))`, "N", string(rune('0'+least)))
	value = strings.ReplaceAll(value, "M", string(rune('0'+least-1)))
	return `["'\]\\]{0,4}\s{0,3}(?:=>|:=|=|:|>)\s{0,3}` + value
}
