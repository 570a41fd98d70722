import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { run } from "./lib/main.ts";
import { inProject, ROOT } from "./lib/project.ts";

/** Runs the check and the tests, and prints the sum of their counts. `.ci/run` starts the script after the packages are installed. */
async function ci(): Promise<void> {
  const counts = await countAll();
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failed = counts.reduce((sum, count) => sum + count.failed, 0);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

interface Count {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Runs the contract tests beside the check, and then beside the other tests, which need what the check has built. Contract tests often
 * wait for alarms, and their start and the builds of the check often have work for one processor only. A single run of vitest would end
 * a runtime whenever the next file belongs to another project.
 */
async function countAll(): Promise<Count[]> {
  const [contract, others] = await Promise.all([
    countTests(["contract*"], "dist/contract-report.json"),
    countChecksAndOtherTests(),
  ]);
  return [contract, ...others];
}

async function countChecksAndOtherTests(): Promise<Count[]> {
  const check = await countChecks();
  return [check, await countTests(["unit", "property", "e2e"], "dist/test-report.json")];
}

/** Runs the check, and reads the counts from its last line. */
async function countChecks(): Promise<Count> {
  const { output, succeeded } = await npm(["run", "check"]);
  const [, passed = "0", failed = "0"] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  return atLeastOneFailure({ passed: Number(passed), failed: Number(failed) }, succeeded);
}

/** Runs the tests of some projects, and reads the counts from vitest's report. */
async function countTests(projects: readonly string[], file: string): Promise<Count> {
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
