// Writes the same tests for the peers: results for Allure, a test file for
// Playwright. One trial each, because neither shows twenty: that is in their
// favour.
//
//	node peers.mjs TESTS FOLDER
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const tests = Number(process.argv[2]);
const folder = process.argv[3];
const failing = (test) => test % 50 === 7 || test % 100 === 3; // as in the stream of scripts/bench/pages/run
const suite = (test) => `suite-${String(Math.floor(test / 100)).padStart(3, "0")}`;
const name = (test) => `test-${String(test).padStart(6, "0")}`;
const message = (test) => `wrong answer 1 in test ${test}: expected the booking to be cancelled, got pending`;

const results = join(folder, "allure-results");
mkdirSync(results, { recursive: true });
for (let test = 0; test < tests; test++) {
  const id = createHash("md5").update(name(test)).digest("hex");
  const start = 1767225600000 + test;
  writeFileSync(join(results, `${id}-result.json`), JSON.stringify({
    uuid: id, historyId: id, fullName: `${suite(test)}.${name(test)}`, name: name(test),
    status: failing(test) ? "failed" : "passed", stage: "finished",
    statusDetails: failing(test) ? { message: message(test) } : {},
    labels: [{ name: "suite", value: suite(test) }], start, stop: start + 100 + (test % 900),
  }));
}

const specs = join(folder, "playwright");
mkdirSync(specs, { recursive: true });
writeFileSync(join(specs, "playwright.config.mjs"), `export default { testDir: ".", testMatch: "*.spec.mjs", workers: 2,
  reporter: [["html", { open: "never", outputFolder: "report" }]] };\n`);
for (let first = 0; first < tests; first += 1000) {
  let code = `import { test } from "@playwright/test";\n`;
  for (let t = first; t < Math.min(first + 1000, tests); t++) {
    code += `test(${JSON.stringify(`${suite(t)} ${name(t)}`)}, async () => {${failing(t) ? `throw new Error(${JSON.stringify(message(t))})` : ""}});\n`;
  }
  writeFileSync(join(specs, `${first}.spec.mjs`), code);
}
