package redact

import (
	"encoding/base64"
	"slices"
	"strings"

	"tribunal/internal/regex"
)

// detectors is the table of what is found without being asked for, the most
// specific first: where two find the same text, the first names it. The shapes
// are those their issuers publish or hand out; many rows in forges and services
// follow rules of gitleaks (https://github.com/gitleaks/gitleaks at b58d3f10, see
// LICENSE.gitleaks), rewritten for an automaton in front. Prefixes and lengths were compared with the tests of trufflehog at 3ab759fe.
var detectors = slices.Concat(cloud, models, forges, services, protocols, places, assignments)

const (
	kindPassword  = "password"
	kindToken     = "token"
	kindChatToken = "discord-token"
	kindAppToken  = "facebook-token"
)

var chatTokens, appTokens = rowOf(kindChatToken), rowOf(kindAppToken)

func rowOf(kind string) int {
	return slices.IndexFunc(detectors, func(d detector) bool { return d.kind == kind })
}

var cloud = []detector{
	{kind: "aws-access-key", literals: []string{"akia", "asia", "abia", "acca"}, pattern: `A[KSBC][IC]A[A-Z0-9]{16}`, secret: endsThere, run: 16},
	{kind: "aws-bedrock-key", literals: []string{"absk"}, pattern: `ABSK[A-Za-z0-9+/]{60,}={0,2}`, alone: true, run: 60},
	{kind: "aws-secret-key", literals: []string{"secret_access_key", "secretaccesskey", "secret-access-key"},
		pattern: `[a-zA-Z_-]+["'\]\\]{0,4}\s{0,3}(?:=>|:=|=|:|>)\s{0,3}\\{0,4}["']?([A-Za-z0-9/+]{40})`, secret: endsThere},
	{kind: "google-api-key", literals: []string{"aiza", "aq.ab8"}, pattern: `AIza[\w-]{35}|AQ\.Ab8[\w-]{35,}`, prefix: true, run: 35},
	{kind: "google-push-key", literals: []string{"apa91b"}, pattern: `APA91b[\w-]{100,}`, run: 100},
	{kind: "google-oauth", literals: []string{"ya29.", "gocspx-"}, pattern: `ya29\.[\w.-]{20,}|GOCSPX-[\w-]{20,}`, prefix: true, run: 20},
	{kind: "google-oauth", literals: []string{"1//0"}, pattern: `1//0[\w-]{40,}`, alone: true, run: 40},
	{kind: "azure-storage-key", literals: []string{"accountkey="}, pattern: `(?i)AccountKey=([A-Za-z0-9+/]{40,}={0,2})`},
	{kind: "azure-access-key", literals: []string{"sharedaccesskey="}, pattern: `(?i)SharedAccessKey=([A-Za-z0-9+/]{40,}={0,2})`},
	{kind: "azure-sas", literals: []string{"sig="}, pattern: `sig=((?:[A-Za-z0-9+/_-]|%2[BbFf]){40,}(?:=|%3[Dd])?)`, alone: true},
	{kind: "azure-client-secret", literals: []string{"q~"}, pattern: `[\w~.]{3}\dQ~[\w~.-]{31,34}`, back: 4},
	{kind: "azure-devops-token", literals: []string{"azdo"}, pattern: `[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}`, back: 76},
	{kind: "digitalocean-token", literals: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, pattern: `do[opr]_v1_[a-f0-9]{64}`, prefix: true, run: 64},
	{kind: "databricks-token", literals: []string{"dapi"}, pattern: `dapi[a-f0-9]{32}(?:-\d)?`, run: 32},
	{kind: "alibaba-key", literals: []string{"ltai"}, pattern: `LTAI[A-Za-z0-9]{12,21}`, alone: true, run: 12, secret: whole},
	{kind: "tencent-key", literals: []string{"akid"}, pattern: `AKID[A-Za-z0-9]{32}`, alone: true, run: 32, secret: whole},
	{kind: "yandex-key", literals: []string{"aqvn"}, pattern: `AQVN[\w-]{35,38}`, alone: true, run: 35, secret: whole},
	{kind: "heroku-key", literals: []string{"hrku-"}, pattern: `HRKU-[\w-]{36,}`, prefix: true, run: 36},
	{kind: "fly-token", literals: []string{"fm1a_", "fm1r_", "fm2_", "fo1_"}, pattern: `(?:fm1[ar]|fm2|fo1)_[\w+/-]{43,}={0,3}`, alone: true, run: 43, open: true},
	{kind: "netlify-token", literals: []string{"nfp_"}, pattern: `nfp_[A-Za-z0-9]{36,}`, alone: true, run: 36},
	{kind: "vercel-token", literals: []string{"vcp_", "vci_", "vca_", "vcr_", "vck_"}, pattern: `vc[piark]_[A-Za-z0-9]{24,}`, alone: true, run: 24},
	{kind: "scalingo-token", literals: []string{"tk-us-"}, pattern: `tk-us-[\w-]{48}`, alone: true, run: 48},
	{kind: "cloudflare-key", literals: []string{"v1.0-", "cfut_", "cfat_", "cfk_"}, alone: true, run: 48,
		pattern: `v1\.0-[a-f0-9]{24}-[a-f0-9]{146}|cf(?:ut|at|k)_[A-Za-z0-9]{40}[a-f0-9]{8}`},
	{kind: "planetscale-key", literals: []string{"pscale_tkn_", "pscale_pw_", "pscale_oauth_"}, pattern: `pscale_(?:tkn|pw|oauth)_[\w=.-]{32,}`, prefix: true, run: 32},
	{kind: "neon-key", literals: []string{"napi_"}, pattern: `napi_[a-z0-9]{64}`, alone: true, run: 64},
	{kind: "openshift-token", literals: []string{"sha256~"}, pattern: `sha256~[\w-]{43}`, run: 43},
	{kind: "aws-appsync-key", literals: []string{"da2-"}, pattern: `da2-[a-z0-9]{26}`, alone: true, run: 26, secret: endsThere},
	{kind: "azure-refresh-token", literals: []string{"0.a", "1.a"}, pattern: `[01]\.A[\w-]{50,}(?:\.\d)?\.Ag[\w-]{100,}`, alone: true, run: 150},
	{kind: "salad-key", literals: []string{"salad_cloud_"}, pattern: `salad_cloud_[0-9A-Za-z]+_[0-9A-Za-z]{7,}`, run: 9},
}

// models are the keys of those who serve language models.
var models = []detector{
	{kind: "anthropic-key", literals: []string{"sk-ant-"}, pattern: `sk-ant-[\w-]{20,}`, prefix: true, run: 20},
	{kind: "openrouter-key", literals: []string{"sk-or-"}, pattern: `sk-or-[\w-]{20,}`, prefix: true, run: 20},
	{kind: "langfuse-key", literals: []string{"sk-lf-"}, pattern: `sk-lf-[\w-]{20,}`, prefix: true, run: 20},
	{kind: "openai-key", literals: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-none-"}, pattern: `sk-(?:proj|svcacct|admin|None)-[\w-]{20,}`, prefix: true, run: 20},
	{kind: "openai-key", literals: []string{"sk-"}, pattern: `sk-(?:[\w-]+T3BlbkFJ[\w-]{12,}|[A-Za-z0-9]{20,})`, alone: true, secret: hasDigit, run: 20},
	{kind: "huggingface-token", literals: []string{"hf_", "api_org_"}, pattern: `(?:hf|api_org)_[A-Za-z0-9]{30,}`, alone: true, run: 30},
	{kind: "groq-key", literals: []string{"gsk_"}, pattern: `gsk_[A-Za-z0-9]{40,}`, alone: true, prefix: true, run: 40},
	{kind: "xai-key", literals: []string{"xai-"}, pattern: `xai-[A-Za-z0-9]{60,}`, alone: true, run: 60},
	{kind: "perplexity-key", literals: []string{"pplx-"}, pattern: `pplx-[A-Za-z0-9]{40,}`, prefix: true, run: 40},
	{kind: "replicate-token", literals: []string{"r8_"}, pattern: `r8_[A-Za-z0-9]{37,}`, alone: true, run: 37},
	{kind: "nvidia-key", literals: []string{"nvapi-"}, pattern: `nvapi-[\w-]{40,}`, prefix: true, run: 40},
	{kind: "bedrock-key", literals: []string{"bedrock-api-key-"}, prefix: true, run: 20, open: true,
		pattern: `bedrock-api-key-[A-Za-z0-9+/=]{20,}`},
	{kind: "elevenlabs-key", literals: []string{"sk_"}, pattern: `sk_[a-f0-9]{48}`, alone: true, run: 48},
	{kind: "langsmith-key", literals: []string{"lsv2_"}, pattern: `lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{8,}`, prefix: true, run: 40},
	{kind: "tavily-key", literals: []string{"tvly-"}, pattern: `tvly-[\w-]{20,}`, prefix: true, run: 20},
	{kind: "together-key", literals: []string{"tgp_v1_"}, pattern: `tgp_v1_[\w-]{40,}`, prefix: true, run: 40},
	{kind: "fireworks-key", literals: []string{"fw_"}, pattern: `fw_[A-Za-z0-9]{22,}`, alone: true, run: 22, secret: whole},
	{kind: "cerebras-key", literals: []string{"csk-"}, pattern: `csk-[a-z0-9]{40,}`, alone: true, run: 40, secret: whole},
	{kind: "voyage-key", literals: []string{"pa-"}, pattern: `pa-[\w-]{43}`, alone: true, run: 43, secret: whole},
	{kind: "pinecone-key", literals: []string{"pcsk_"}, pattern: `pcsk_\w{40,}`, alone: true, run: 40},
	{kind: "runpod-key", literals: []string{"rpa_"}, pattern: `rpa_[A-Z0-9]{38,}`, alone: true, run: 38},
	{kind: "e2b-key", literals: []string{"e2b_"}, pattern: `e2b_[a-f0-9]{40}`, alone: true, run: 40, secret: endsThere},
	{kind: "jina-key", literals: []string{"jina_"}, pattern: `jina_[A-Za-z0-9_-]{32,}`, alone: true, run: 32, secret: whole},
	{kind: "firecrawl-key", literals: []string{"fc-"}, pattern: `fc-[a-f0-9]{32}`, alone: true, run: 32, secret: endsThere},
}

// forges are the tokens of code hosts, package registries and of what builds and delivers.
var forges = []detector{
	{kind: "github-token", literals: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, pattern: `gh[pousr]_\w{36,}|github_pat_\w{22,}`, prefix: true, run: 22},
	{kind: "gitlab-token", literals: []string{"glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glcbt-", "glft-", "glagent-", "glimt-", "gloas-", "glffct-", "glrtr-", "glwt-", "gr1348941"},
		pattern: `gl[a-z]{2,5}-[\w.-]{19,}\w|GR1348941[\w-]{20,}`, prefix: true, run: 19},
	{kind: "npm-token", literals: []string{"npm_"}, pattern: `npm_[A-Za-z0-9]{36,}`, alone: true, run: 36},
	{kind: "pypi-token", literals: []string{"pypi-age"}, pattern: `pypi-AgE[\w-]{40,}`, prefix: true, run: 40},
	{kind: "rubygems-key", literals: []string{"rubygems_"}, pattern: `rubygems_[A-Za-z0-9]{48}`, run: 48},
	{kind: "docker-token", literals: []string{"dckr_pat_", "dckr_oat_"}, pattern: `dckr_[po]at_[\w-]{20,}`, prefix: true, run: 20},
	{kind: "atlassian-token", literals: []string{"atatt3", "atctt3"}, pattern: `AT[AC]TT3[\w=+/-]{20,}`, prefix: true, run: 20},
	{kind: "bitbucket-token", literals: []string{"atbb", "bbdc-"}, pattern: `ATBB[\w=.-]{24,}|BBDC-[\w+/@-]{40,}`, alone: true, run: 24, secret: endsThere},
	{kind: "nuget-key", literals: []string{"oy2"}, pattern: `oy2[a-z0-9]{43}`, alone: true, run: 43, secret: whole},
	{kind: "crates-token", literals: []string{"cio"}, pattern: `cio[A-Za-z0-9]{32}`, alone: true, run: 32, secret: whole},
	{kind: "clojars-token", literals: []string{"clojars_"}, pattern: `(?i)CLOJARS_[a-z0-9]{60}`, run: 60},
	{kind: "packagist-token", literals: []string{"packagist_"}, pattern: `packagist_[a-z]{3}_[a-f0-9]{60,}`, run: 60},
	{kind: "artifactory-key", literals: []string{"akcp", "cmvmd"}, pattern: `AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59}`, alone: true, run: 59, secret: whole},
	{kind: "pulumi-token", literals: []string{"pul-"}, pattern: `pul-[a-z0-9]{40}`, alone: true, run: 40, secret: whole},
	{kind: "doppler-token", literals: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa."}, pattern: `dp\.(?:pt|st|ct|sa)\.[\w.-]{40,}`, alone: true, run: 40},
	{kind: "buildkite-token", literals: []string{"bkua_"}, pattern: `bkua_[a-z0-9]{40}`, alone: true, run: 40},
	{kind: "circleci-token", literals: []string{"ccipat_"}, pattern: `CCIPAT_[A-Za-z0-9]{16,}_[a-f0-9]{40}`, alone: true, run: 57},
	{kind: "authress-key", literals: []string{"sc_", "ext_", "scauth_", "authress_"}, alone: true,
		pattern: `(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[\w+/=-]{30,120}`},
	{kind: "infracost-key", literals: []string{"ico-"}, pattern: `ico-[A-Za-z0-9]{32}`, alone: true, run: 32, secret: whole},
	{kind: "prefect-key", literals: []string{"pnu_"}, pattern: `pnu_[A-Za-z0-9]{36}`, alone: true, run: 36},
	{kind: "sonar-token", literals: []string{"squ_", "sqp_", "sqa_", "sqco_"}, pattern: `sq(?:[upa]|co)_[A-Za-z0-9]{40,}`, alone: true, run: 40, secret: whole},
	{kind: "sourcegraph-token", literals: []string{"sgp_", "slk_"}, alone: true, run: 40,
		pattern: `sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}|slk_[a-f0-9]{64}`},
	{kind: "snyk-token", literals: []string{"snyk_"}, pattern: `snyk_[a-z]{2,4}\.[a-f0-9]{8}\.[\w-]{40,}`, alone: true, run: 40, open: true},
	{kind: "harness-key", literals: []string{"pat.", "sat."}, pattern: `[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}`, alone: true, run: 68},
	{kind: "octopus-key", literals: []string{"api-"}, pattern: `API-[A-Z0-9]{26}`, alone: true, run: 26, secret: whole},
	{kind: "readme-key", literals: []string{"rdme_"}, pattern: `rdme_[a-z0-9]{70}`, alone: true, run: 70},
	{kind: "settlemint-token", literals: []string{"sm_aat_", "sm_pat_", "sm_sat_"}, pattern: `sm_[aps]at_[A-Za-z0-9]{16}`, alone: true, run: 16},
	{kind: "tailscale-key", literals: []string{"tskey-"}, pattern: `tskey-[a-z]+-[\w-]{20,}`, alone: true, run: 20},
	{kind: "onepassword-key", literals: []string{"a3-", "ops_ey"}, alone: true, run: 29, open: true, window: 1 << 11,
		pattern: `A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}|ops_eyJ[\w+/-]{100,}={0,3}`},
	{kind: "apify-token", literals: []string{"apify_api_"}, pattern: `apify_api_[A-Za-z0-9-]{36}`, run: 36},
	{kind: "endor-key", literals: []string{"endr+"}, pattern: `endr\+[A-Za-z0-9-]{16}`, alone: true, run: 16},
	{kind: "spectral-key", literals: []string{"spu-"}, pattern: `spu-[a-z0-9]{32}`, alone: true, run: 32, secret: endsThere},
	{kind: "trufflehog-key", literals: []string{"thog-"}, pattern: `thog-(?:key|secret)-[0-9a-f]{16,}`, alone: true, run: 20},
}

// services are the keys of other services: what people talk, work and pay with, and what
// observes and switches.
var services = []detector{
	{kind: "slack-token", literals: []string{"xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xox", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"}, pattern: `x(?:ox[a-z]|app)(?:\.xox[bp])?-[\w-]{10,}`, prefix: true, run: 10},
	{kind: "slack-webhook", literals: []string{"hooks.slack.com/"}, pattern: `hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{20,})`},
	{kind: "webhook", literals: []string{"hooks.zapier.com/hooks/catch/", ".tines.com/webhook/"}, pattern: `(?i)[a-z.]+/(?:hooks/catch|webhook)/([\w/]{16,})`},
	{kind: "discord-webhook", literals: []string{"/api/webhooks/"}, pattern: `/api/webhooks/(\d{10,}/[\w-]{40,})`},
	{kind: "stripe-key", literals: []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_org_live_", "sk_org_test_", "sk_prod_", "rk_prod_", "whsec_"},
		pattern: `(?:[sr]k_(?:org_)?(?:live|test|prod)_(?:\dx\d_)?[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})`, prefix: true, run: 10},
	{kind: "sendgrid-key", literals: []string{"sg."}, pattern: `SG\.(?:[\w=.-]{66}|[\w-]{16,32}\.[\w-]{16,64})`, alone: true, run: 33},
	{kind: "mailchimp-key", literals: []string{"-us"}, pattern: `[0-9a-f]{32}-us\d{1,2}`, back: 32, secret: endsThere},
	{kind: "mailgun-key", literals: []string{"key-"}, pattern: `key-[0-9a-z]{32}`, alone: true, secret: whole, run: 32},
	{kind: "mailgun-key", literals: []string{"mailgun"}, pattern: `(?i)mailgun[\w\s({,"'.:=>\\-]{1,40}?\b([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})`, secret: endsThere},
	{kind: "adafruit-key", literals: []string{"aio_"}, pattern: `aio_[A-Za-z0-9]{28}`, alone: true, run: 28, secret: whole},
	{kind: "intercom-token", literals: []string{"dg9ro"}, pattern: `dG9rO[\w=-]{40,}`, alone: true, run: 40},
	{kind: "dropbox-token", literals: []string{"sl."}, pattern: `sl\.[\w=-]{130,}|sl\.u\.[\w=-]{100,}`, alone: true, run: 100},
	{kind: "shopify-token", literals: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, pattern: `shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`, prefix: true, run: 32},
	{kind: "grafana-token", literals: []string{"glsa_", "glc_ey", "eyjrijoi"}, pattern: `gl(?:sa|c)_[\w=+/-]{32,}|eyJrIjoi[\w+/]{60,}={0,3}`, prefix: true, run: 32},
	{kind: "vault-token", literals: []string{"hvs.", "hvb.", "hvr."}, pattern: `hv[sbr]\.[\w-]{24,}`, alone: true, run: 24},
	{kind: "vault-token", literals: []string{"s."}, pattern: `s\.[A-Za-z0-9]{24}`, alone: true, secret: wholeAndMixed, run: 24},
	{kind: "terraform-token", literals: []string{".atlasv1."}, pattern: `[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}`, back: 14},
	{kind: "linear-key", literals: []string{"lin_api_"}, pattern: `lin_api_[A-Za-z0-9]{32,}`, prefix: true, run: 32},
	{kind: "notion-token", literals: []string{"ntn_", "secret_"}, pattern: `ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}`, alone: true, run: 40, secret: whole},
	{kind: "postman-key", literals: []string{"pmak-"}, pattern: `PMAK-[A-Za-z0-9-]{59}`, prefix: true, run: 59},
	{kind: "sentry-token", literals: []string{"sntrys_", "sntryu_"}, pattern: `sntry[su]_[\w=+/-]{40,}`, prefix: true, run: 40},
	{kind: "supabase-key", literals: []string{"sbp_", "sb_secret_"}, pattern: `sbp_[a-z0-9]{40}|sb_secret_[\w-]{20,}`, alone: true, secret: hasDigit},
	{kind: "figma-token", literals: []string{"figd_", "figp_", "figr_"}, pattern: `fig[dpr]_[\w=-]{30,}`, prefix: true, run: 30},
	{kind: "age-key", literals: []string{"age-secret-key-1"}, pattern: `(?i)AGE-SECRET-KEY-1[A-Z0-9]{30,}`, prefix: true, run: 30},
	{kind: "square-token", literals: []string{"sq0a", "sq0c", "sq0i"}, pattern: `sq0[aci][a-z]{2}-[\w-]{21,}`, alone: true, prefix: true, run: 24},
	{kind: "square-token", literals: []string{"eaaa"}, pattern: `EAAA[\w-]{22,60}`, alone: true, run: 22, secret: squareToken},
	{kind: "braintree-token", literals: []string{"access_token$"}, pattern: `access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}`, run: 57},
	{kind: "flutterwave-key", literals: []string{"flwseck", "flwpubk"}, pattern: `FLW(?:SECK|PUBK)(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?`, run: 13},
	{kind: "razorpay-key", literals: []string{"rzp_live_", "rzp_test_"}, pattern: `rzp_(?:live|test)_[A-Za-z0-9]{14,}`, run: 14},
	{kind: "plaid-token", literals: []string{"access-sandbox-", "access-development-", "access-production-"}, pattern: `access-[a-z]+-` + uuid, run: 36},
	{kind: "shippo-token", literals: []string{"shippo_live_", "shippo_test_"}, pattern: `shippo_(?:live|test)_[a-fA-F0-9]{40}`, run: 40},
	{kind: "easypost-key", literals: []string{"ezak", "eztk"}, pattern: `EZ[AT]K[A-Za-z0-9]{54}`, alone: true, run: 54},
	{kind: "duffel-token", literals: []string{"duffel_live_", "duffel_test_"}, pattern: `duffel_(?:live|test)_[\w=-]{43}`, run: 43},
	{kind: "lob-key", literals: []string{"live_"}, pattern: `live_[a-f0-9]{35}`, alone: true, run: 35, secret: endsThere},
	{kind: "flexport-token", literals: []string{"shltm_"}, pattern: `shltm_[\w-]{40}`, alone: true, run: 40},
	{kind: "pagarme-key", literals: []string{"ak_live_", "ak_test_"}, pattern: `ak_(?:live|test)_[A-Za-z0-9]{30}`, alone: true, run: 30},
	{kind: "ramp-key", literals: []string{"ramp_id_", "ramp_sec_"}, pattern: `ramp_(?:id|sec)_[A-Za-z0-9]{40,}`, alone: true, run: 40},
	{kind: kindChatToken, find: func(*match, int) bool { return false }}, // no literal finds it: see findUnspelled
	{kind: "telegram-token", literals: []string{":aa"}, find: behindNumber(8, 10, 33, 33)},
	{kind: "teams-webhook", literals: []string{"/incomingwebhook/"}, pattern: `(?i)/IncomingWebhook/([0-9a-z]{32}(?:/[0-9a-z-]{36})?)`, run: 32},
	{kind: "twilio-key", literals: []string{"sk"}, pattern: `SK[0-9a-f]{32}`, alone: true, run: 32, secret: endsThere},
	{kind: "brevo-key", literals: []string{"xkeysib-", "xsmtpsib-"}, pattern: `x(?:key|smtp)sib-[\w-]{81}`, prefix: true, run: 81},
	{kind: "resend-key", literals: []string{"re_"}, pattern: `re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}`, alone: true, run: 33, secret: whole},
	{kind: "hubspot-token", literals: []string{"pat-na", "pat-eu"}, pattern: `pat-(?:na|eu)\d-` + uuid, alone: true, run: 38},
	{kind: "airtable-token", literals: []string{"pat"}, pattern: `pat[A-Za-z0-9]{14}\.[a-f0-9]{64}`, alone: true, run: 79},
	{kind: "typeform-token", literals: []string{"tfp_"}, pattern: `tfp_[\w.=-]{40,}`, alone: true, run: 40, open: true},
	{kind: "contentful-token", literals: []string{"cfpat-"}, pattern: `CFPAT-[\w-]{43}`, prefix: true, run: 43},
	{kind: "frameio-token", literals: []string{"fio-u-"}, pattern: `fio-u-[\w=-]{64}`, prefix: true, run: 64},
	{kind: "intra42-secret", literals: []string{"s-s4t2"}, pattern: `s-s4t2(?:ud|af)-[a-f0-9]{64}`, run: 64},
	{kind: "asana-token", literals: []string{"1/", "2/"}, pattern: `[12]/\d{16}(?:/\d{16})?:[a-f0-9]{32}`, alone: true, run: 16},
	{kind: "adobe-secret", literals: []string{"p8e-"}, pattern: `p8e-[A-Za-z0-9]{32}`, alone: true, run: 32, secret: whole},
	{kind: kindAppToken, literals: []string{"eaam", "eaac"}, pattern: `EAA[MC][A-Za-z0-9]{100,}`, alone: true, run: 100, secret: whole},
	{kind: "mapbox-token", literals: []string{"sk.eyj1"}, pattern: `sk\.eyJ1[\w-]{20,}\.[\w-]{20,}`, alone: true, run: 41},
	{kind: "maxmind-key", literals: []string{"_mmk"}, pattern: `[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk`, back: 36, secret: endsThere},
	{kind: "bannerbear-key", literals: []string{"bb_pr_", "bb_ma_"}, pattern: `bb_(?:pr|ma)_[a-f0-9]{30}`, alone: true, run: 30},
	{kind: "salesforce-key", literals: []string{"3mvg9", "5aep861"}, pattern: `3MVG9[\w.+/=]{80,}|(?i)5Aep861[\w.=]{80,}`, alone: true, run: 80},
	{kind: "zoho-token", literals: []string{"1000."}, pattern: `1000\.[a-f0-9]{32}\.[a-f0-9]{32}`, alone: true, run: 65},
	{kind: "pubnub-key", literals: []string{"sub-c-", "pub-c-", "sec-c-"}, pattern: `[ps]ub-c-` + dashed + `|sec-c-[\w=+/-]{40,}`, alone: true, run: 36},
	{kind: "newrelic-key", literals: []string{"nrak-", "nrii-", "nriq-", "nrbr-", "nrjs-"}, pattern: `NR(?:AK|II|IQ|BR|JS)-[\w-]{19,}`, prefix: true, run: 19},
	{kind: "newrelic-key", literals: []string{"nral"}, pattern: `[0-9a-zA-Z]{36}NRAL`, back: 36, secret: endsThere},
	{kind: "newrelic-key", literals: []string{"-nrma"}, pattern: `[0-9a-zA-Z]{42}-NRMA`, back: 42, secret: endsThere},
	{kind: "dynatrace-token", literals: []string{"dt0c01.", "dt0s01.", "dt0s16."}, pattern: `dt0[cs]\d\d\.[A-Za-z0-9]{8,24}\.[A-Za-z0-9]{64}`, prefix: true, run: 73},
	{kind: "honeycomb-key", literals: []string{"hcaik_", "hcbik_", "hcxik_", "hcalk_"}, pattern: `hc[a-z][il]k_[a-z0-9]{50,}`, alone: true, run: 50},
	{kind: "axiom-token", literals: []string{"xaat-", "xapt-"}, pattern: `xa[ap]t-` + uuid, alone: true, run: 36},
	{kind: "posthog-key", literals: []string{"phx_"}, pattern: `phx_\w{40,}`, alone: true, run: 40},
	{kind: "launchdarkly-key", literals: []string{"sdk-", "api-"}, pattern: `(?:sdk|api)-` + dashed, alone: true, run: 36, secret: whole},
	{kind: "clickhouse-key", literals: []string{"4b1d"}, pattern: `4b1d[A-Za-z0-9]{38}`, alone: true, run: 38, secret: notHex},
	{kind: "pganalyze-key", literals: []string{"pgar_"}, pattern: `pgar_[A-Za-z0-9]{26,}`, alone: true, run: 26},
	{kind: "rootly-key", literals: []string{"rootly_"}, pattern: `rootly_[a-f0-9]{64}`, alone: true, run: 64},
	{kind: "ubidots-key", literals: []string{"bbff-"}, pattern: `BBFF-[0-9a-zA-Z]{30}`, alone: true, run: 30},
}

// dashed is as long in its parts as a uuid.
const (
	uuid   = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
	dashed = `[0-9a-z]{8}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{12}`
)

// protocols are credentials in the shape a protocol gives them.
var protocols = []detector{
	{kind: "private-key", literals: []string{"-----begin"}, find: privateKey},
	{kind: "private-key", literals: []string{"-----end"}, find: keyEnd},
	{kind: "private-key", literals: []string{"private-lines:"}, window: 1 << 13,
		pattern: `(?i)Private-Lines:\s*\d+((?:(?:\s|\\+[nrt])+[A-Za-z0-9+/=]{20,})+(?:(?:\s|\\+[nrt])+[A-Za-z0-9+/]+={0,2})?)`},
	{kind: "jwt", literals: []string{"eyj"}, window: 1 << 13, pattern: `eyJ[\w-]{6,}\.eyJ[\w-]{4,}(?:\.[\w-]*)*|eyJ[\w-]{10,}\.[\w-]*\.[\w-]*(?:\.[\w-]*)*`, alone: true, run: 11, open: true},
	{kind: "authorization", literals: []string{"authorization"}, after: `"'\]:= `,
		pattern: `[a-zA-Z]+["'\]\\]{0,4}\s{0,3}[:=]\s{0,3}\\{0,4}["']?(?:(?:[A-Za-z-]{2,24}|(?i:aws4-hmac-sha256))[ \t+]{1,3})?([^\s"'\\,;&<>\[]{8,})`, secret: credential},
	{kind: "bearer-token", literals: []string{"bearer"}, after: " \t:=+", pattern: `[a-zA-Z]+[\s:=+]{1,3}([A-Za-z0-9._~+/=-]{16,})`, alone: true, secret: credential},
	{kind: "basic-auth", literals: []string{"basic"}, after: " \t+", pattern: `[a-zA-Z]+[\s+]{1,3}([A-Za-z0-9+/_-]{8,}={0,2})`, alone: true, secret: userAndPassword},
	{kind: "basic-auth", literals: []string{"auth"}, after: " \t\"'\\:=", find: loginValue},
	{kind: "url-password", literals: []string{"://"}, find: urlPassword},
	{kind: "url-password", literals: []string{"@tcp(", "@unix("}, find: dsnPassword},
	{kind: "signature", literals: []string{"signature="}, pattern: `(?i)signature=((?:[A-Za-z0-9+/_~=-]|%[0-9A-Fa-f]{2}){26,})`, secret: mixedValue, window: 1 << 11},
	{kind: "signature", literals: []string{"hmac="}, pattern: `(?i)hmac=([0-9a-f]{32,})`},
	{kind: "api-key", literals: []string{"?key=", "&key="}, pattern: `[?&](?i:key)=([\w-]{30,})`, secret: mixedValue},
	{kind: "access-code", literals: []string{"?code=", "&code="}, pattern: `[?&](?i:code)=((?:[\w/+-]|%[0-9A-Fa-f]{2}){40,}(?:==?|(?:%3[dD]){1,2})?)`, secret: mixedValue},
	{kind: "cookie", literals: []string{"cookie"}, after: "\"'\\]:= ", find: cookieHeader},
}

// places are credentials that are found by what is around them.
var places = []detector{
	{kind: kindPassword, literals: []string{"-u", "--user"}, after: " \t=\"'\\", find: userFlag},
	{kind: kindPassword, literals: []string{" -p", " -a"}, find: shortFlag},
	{kind: "secret", literals: []string{"_base64", "_b64"}, after: " \"'\\]:=>", find: encodedValue},
	{kind: "secret", literals: []string{"value"}, after: " \"'\\:=", find: pairValue},
}

// assignments are values given to names that say what they hold, in code, JSON,
// YAML, headers, query strings and connection strings.
var assignments = []detector{
	assigned(kindPassword, "password", "passwd", "passphrase", "passcode", "pwd", "pass", "identified by"),
	assigned("secret", "secret", "secret_key", "secret-key", "secretkey", "secret_key_base", "secretkeybase", "contribsys__com"),
	assigned(kindToken, "token"),
	assigned("api-key", "api_key", "api-key", "apikey", "access_key", "access-key", "accesskey", "auth_key", "auth-key", "authkey",
		"private_key", "private-key", "privatekey", "account_key", "accountkey", "encryption_key", "signing_key", "signing-key", "signingkey", "jfrog-art-api", "credential", "credentials",
		"app_key", "app-key", "appkey", "application_key", "application-key", "applicationkey", "subscription_key", "subscription-key", "functions-key",
		"rapidapi-key", "insert-key", "insert_key", "license-key", "license_key", "admin_key", "admin-key", "adminkey", "master_key", "master-key", "masterkey",
		"service_key", "shared_key", "consumer_key", "storage_key", "honeycomb-team"),
	assigned("cookie", "phpsessid", "jsessionid", "sessid", "asp.net_sessionid", "connect.sid", "_session"),
}

// endsThere says that the secret is no part of a longer word.
func endsThere(m *match) bool { return m.end == len(m.text) || !alnum(m.text[m.end]) }

func hasDigit(m *match) bool { return strings.ContainsAny(m.value(), "0123456789") }

func mixedValue(m *match) bool { return lettersAndDigits(m.value()) && !placeholder(m.value()) }

// whole is a random word that ends where it has to.
func whole(m *match) bool { return endsThere(m) && hasDigit(m) }

// wholeAndMixed is whole, and no name with a number behind its parts.
func wholeAndMixed(m *match) bool { return whole(m) && !countedWord(m.value()) }

// squareToken is whole and, where it is short, no stretch of a program or picture in base64.
func squareToken(m *match) bool {
	v := m.value()
	return whole(m) && (len(v) == 64 || strings.ToLower(v[4:]) != v[4:] && !strings.Contains(v[1:], "AAAA") &&
		!has("+/=", m.text[max(m.start, 1)-1]) && (m.end == len(m.text) || !has("+/=", m.text[m.end])))
}

// notHex is whole, and no part of a hash.
func notHex(m *match) bool {
	return whole(m) && strings.Trim(m.value(), "0123456789abcdefABCDEF") != ""
}

// credential is a value that is no word of a sentence about credentials.
func credential(m *match) bool {
	v := m.value()
	return !placeholder(v) && (!word(v) || len(v) >= 24)
}

func userAndPassword(m *match) bool { return encodesLogin(m.value()) }

func encodesLogin(v string) bool {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	return err == nil && slices.Contains(text, ':') && !strings.ContainsFunc(string(text), func(r rune) bool { return r < ' ' || r == '\uFFFD' })
}

// standIns are words that stand where a secret would.
var standIns = []string{"undefined", "required", "optional", "disabled", "enabled", "redacted", "masked", "filtered", "hidden", "removed",
	"password", "api_key", "apikey", "api-key", "access_token", "accesstoken", "auth_token", "refresh_token", "secret_key", "client_secret",
	"token_here", "expected", "not-set", "unavailable", "anonymous", "changeme", "placeholder"}

// placeholder reports what stands for a secret: ${NAME}, {{ name }}, <name>, %s,
// [MASKED], ****, xxxx, your-key.
func placeholder(v string) bool {
	v = strings.TrimRight(v, ",.)]}>\\")
	if v == "" {
		return false
	}
	rest := v[1:]
	switch v[0] {
	case '{', '(', '<', '[':
		return true
	case '$':
		return rest != "" && (rest[0] == '{' || rest[0] == '(' || !digit(rest[0]) && only(rest, upperByte))
	case '%':
		return rest != "" && (has("(sdvq{", rest[0]) || len(rest) > 1 && rest[len(rest)-1] == '%' && only(rest[:len(rest)-1], upperByte))
	case 'y', 'Y':
		if len(v) > 4 && strings.EqualFold(v[:4], "your") && has("_- ", v[4]) {
			return true
		}
	}
	return only(v, func(c byte) bool { return has("*.xX#?_-", c) }) || strings.Trim(v, "•") == "" ||
		slices.ContainsFunc(standIns, func(w string) bool { return strings.EqualFold(w, v) })
}

func upperByte(c byte) bool { return 'A' <= c && c <= 'Z' || digit(c) || c == '_' }

func only(v string, is func(byte) bool) bool {
	for i := range len(v) {
		if !is(v[i]) {
			return false
		}
	}
	return true
}

// calls are expressions that get a secret from somewhere else.
var calls = regex.Of(`^(?:[A-Za-z_$][\w.$]*\(.*\)|(?:self|this|os|process|env|config|conf|settings|secrets|args|opts|options|params|props|request|req|ctx|kwargs|user|state)(?:\.[A-Za-z_]\w*|\[[^\]]*\]?)+[,)\]}]*|[A-Za-z_][\w.]*(?:\(|\[)\W*|[A-Z][a-z]+\[[A-Za-z_.]+\]\W*)$`)

func code(v string) bool { return strings.ContainsAny(v, ".([") && calls().MatchString(v) }

var filenames = regex.Of(`(?i)^[\w~./\\:@-]*[/\\.][\w-]*\.(?:pem|key|crt|cer|p12|pfx|json|ya?ml|txt|env|toml|ini|conf|py|js|ts|go|rb|java)[,)\]}:]*$|^(?:[A-Za-z]:[\\/]|~?/[a-z][\w.-]*/|\.{1,2}/)[\w./\\ -]*$`)

func filename(v string) bool { return strings.ContainsAny(v, `/\.`) && filenames().MatchString(v) }

// word reports text as people write it: letters, perhaps joined, with no more
// capitals inside than a name of two words has.
func word(v string) bool {
	humps := 0
	for i := range len(v) {
		c := v[i]
		if digit(c) || c >= 0x80 || !letter(c) && !has("-_.,!?)(' ", c) {
			return false
		}
		if i > 0 && 'A' <= c && c <= 'Z' && 'a' <= v[i-1] && v[i-1] <= 'z' {
			humps++
		}
	}
	return humps < 3
}

// countedWord is a word or a path with numbers behind its parts, as names of
// tests are: test_login_2, a/b3.py::c[1].
func countedWord(v string) bool {
	for i := 0; i+1 < len(v); i++ {
		if digit(v[i]) && letter(v[i+1]) {
			return false
		}
	}
	return true
}

func isNumeric(v string) bool { return strings.Trim(v, "0123456789.,_") == "" }

func lettersAndDigits(v string) bool {
	letters, digits := false, false
	for i := range len(v) {
		letters, digits = letters || letter(v[i]), digits || digit(v[i])
	}
	return letters && digits
}
