#!/usr/bin/env node
// Starts the program of the package for this system.
const { spawn } = require("child_process");

const name = `@tribunal/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/tribunal${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`tribunal: the package ${name} is missing: install without --omit=optional, on a supported system`);
  process.exit(2);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
process.on("SIGINT", () => {}); // a terminal sends Ctrl-C to the program as well
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`tribunal: starting ${program}: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
