import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { run } from "./lib/main.ts";
import { inProject, ROOT } from "./lib/project.ts";

/** Runs the check and the tests, and prints the sum of their counts. `.ci/run` starts the script after the packages are installed. */
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

/** Runs the check, and reads the counts from its last line. */
async function countChecks(): Promise<Count> {
  const { output, succeeded } = await npm(["run", "check"]);
  const [, passed = "0", failed = "0"] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  return atLeastOneFailure({ passed: Number(passed), failed: Number(failed) }, succeeded);
}

/**
 * Runs the contract tests beside the other tests. Contract tests often wait for alarms and disks, so that the processors have time for
 * other tests. A single run of vitest would end a runtime whenever the next file belongs to another project.
 */
async function countTests(): Promise<Count> {
  const counts = await Promise.all([
    countOf(["contract*"], "dist/contract-report.json"),
    countOf(["unit", "property", "e2e"], "dist/test-report.json"),
  ]);
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** Runs the tests of some projects, and reads the counts from vitest's report. */
async function countOf(projects: readonly string[], file: string): Promise<Count> {
  const path = inProject(file);
  rmSync(path, { force: true });
  const names = ["default", "json", "./test/support/runner/slowest-files.ts", CLIENT_COVERAGE];
  const { succeeded } = await npm([
    "exec",
    "--",
    "vitest",
    "run",
    "--config=test/vitest.config.ts",
    ...projects.map((name) => `--project=${name}`),
    ...names.map((name) => `--reporter=${name}`),
    `--outputFile.json=${path}`,
  ]);
  const report = existsSync(path) ? readFileSync(path, "utf8") : "{}";
  const { numPassedTests = 0, numFailedTests = 0 } = JSON.parse(report) as Partial<TestReport>; // vitest documents this form.
  return atLeastOneFailure({ passed: numPassedTests, failed: numFailedTests }, succeeded);
}

const CLIENT_COVERAGE = "./test/support/payments/client-coverage.ts";

interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

/** Counts the failure of a command without a failed test: a file that cannot be loaded, or an error after the last test. */
const atLeastOneFailure = ({ passed, failed }: Count, succeeded: boolean): Count => ({
  passed,
  failed: succeeded ? failed : Math.max(failed, 1),
});

/** Runs npm, prints its output in whole lines, and returns its standard output. */
function npm(options: readonly string[]): Promise<{ output: string; succeeded: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", options, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    let shown = 0;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const end = Math.max(shown, output.lastIndexOf("\n") + 1);
      process.stdout.write(output.slice(shown, end));
      shown = end;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      process.stdout.write(output.slice(shown));
      resolve({ output, succeeded: code === 0 });
    });
  });
}

await run(ci);
