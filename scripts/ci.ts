import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { run } from "./lib/main.ts";
import { inProject, ROOT } from "./lib/project.ts";

/** `.ci/run` starts this once the packages are installed: it runs the check and the tests and counts over both. */
async function ci(): Promise<void> {
  const check = await countChecks();
  const tests = await countTests();
  const failed = check.failed + tests.failed;
  console.log(`${check.passed + tests.passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** Reads the count that the check prints in its last line. */
async function countChecks(): Promise<Count> {
  const { output, succeeded } = await npm(["run", "check"]);
  const [, passed = "0", failed = "0"] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  return atLeastOneFailure({ passed: Number(passed), failed: Number(failed) }, succeeded);
}

const REPORT = inProject("dist/test-report.json");

async function countTests(): Promise<Count> {
  rmSync(REPORT, { force: true });
  const names = ["default", "json", "./test/support/platform/slowest-files.ts"];
  const reporters = [...names.map((name) => `--reporter=${name}`), `--outputFile.json=${REPORT}`];
  const { succeeded } = await npm(["test", "--", ...reporters]);
  const report = existsSync(REPORT) ? readFileSync(REPORT, "utf8") : "{}";
  const { numPassedTests = 0, numFailedTests = 0 } = JSON.parse(report) as Partial<TestReport>; // as vitest documents it
  return atLeastOneFailure({ passed: numPassedTests, failed: numFailedTests }, succeeded);
}

interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

/** A command may fail without a failed test, by a file that can't be loaded or an error after the last test. */
const atLeastOneFailure = ({ passed, failed }: Count, succeeded: boolean): Count => ({
  passed,
  failed: succeeded ? failed : Math.max(failed, 1),
});

/** Runs npm, shows what it prints, and keeps standard output. */
function npm(options: readonly string[]): Promise<{ output: string; succeeded: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", options, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      process.stdout.write(text);
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ output, succeeded: code === 0 }));
  });
}

await run(ci);
