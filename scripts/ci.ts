import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { relative } from "node:path";
import { run } from "./lib/main.ts";
import { inProject, ROOT } from "./lib/project.ts";

/**
 * Runs the check and the tests, and prints what failed and the sum of the counts at the end, where a log that was cut still has them.
 * `.ci/run` starts the script after the packages are installed.
 */
async function ci(): Promise<void> {
  const counts = await countAll();
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failed = counts.reduce((sum, count) => sum + count.failed, 0);
  for (const failure of counts.flatMap(({ failures }) => failures))
    console.log(`FAILED  ${failure}`);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

interface Count {
  readonly passed: number;
  readonly failed: number;
  /** The name of each failed check, and the file, name and first message of each failed test. */
  readonly failures: readonly string[];
}

/**
 * Runs the check and three runs of vitest, so that no processor waits while something is left to do:
 *
 *     niceness
 *      0   contract ─────────────────────────────────────┐
 *      5   check ──┬── e2e ────────────────────────┐     ├── counts
 *     10           └── unit, property ─────────────┴─────┘
 *
 * Contract tests often wait for alarms, and tests with servers wait for other programs; the other tests only compute, and take what these
 * leave. All but the contract tests need what the check has built. Contract tests run in one runtime, because the start of another one
 * costs as much as a dozen of their files; a run of vitest would end it whenever the next file belongs to another project.
 */
async function countAll(): Promise<Count[]> {
  const [contract, others] = await Promise.all([
    countTests(["contract*"], { name: "contract", niceness: 0, options: ["--maxWorkers=1"] }),
    countChecksAndOtherTests(),
  ]);
  return [contract, ...others];
}

async function countChecksAndOtherTests(): Promise<Count[]> {
  const check = await countChecks();
  const tests = await Promise.all([
    countTests(["e2e"], { name: "e2e", niceness: 5 }),
    countTests(["unit", "property"], { name: "unit", niceness: 10 }),
  ]);
  return [check, ...tests];
}

/** Runs the check, and reads the counts from its last line. */
async function countChecks(): Promise<Count> {
  const { output, succeeded } = await npm(["run", "check"], 5);
  const [, passed = "0", failed = "0"] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  const failures = [...output.matchAll(/^FAILED +(\S.*?) +[\d.]+ s$/gmu)].map(
    ([, name]) => `check: ${name}`,
  );
  return atLeastOneFailure(
    { passed: Number(passed), failed: Number(failed), failures },
    { succeeded, name: "check" },
  );
}

/** Runs the tests of some projects, and reads the counts from vitest's report. */
async function countTests(
  projects: readonly string[],
  { name, niceness, options = [] }: TestRun,
): Promise<Count> {
  const path = inProject("dist", `${name}-report.json`);
  rmSync(path, { force: true });
  const reporters = ["default", "json", "./test/support/runner/slowest-files.ts", CLIENT_COVERAGE];
  const { succeeded } = await npm(
    [
      "exec",
      "--",
      "vitest",
      "run",
      "--config=test/vitest.config.ts",
      ...options,
      ...projects.map((project) => `--project=${project}`),
      ...reporters.map((reporter) => `--reporter=${reporter}`),
      `--outputFile.json=${path}`,
    ],
    niceness,
  );
  const report = existsSync(path) ? readFileSync(path, "utf8") : "{}";
  const tests = JSON.parse(report) as Partial<TestReport>; // vitest documents this form.
  const { numPassedTests: passed = 0, numFailedTests: failed = 0, testResults = [] } = tests;
  const failures = testResults.flatMap(failuresOf);
  return atLeastOneFailure({ passed, failed, failures }, { succeeded, name: projects.join(", ") });
}

interface TestRun {
  /** The name of the report in `dist`, which is `<name>-report.json`. */
  readonly name: string;
  /** What is added to the niceness of this process. */
  readonly niceness: number;
  /** More options of vitest. */
  readonly options?: readonly string[];
}

const CLIENT_COVERAGE = "./test/support/payments/client-coverage.ts";

interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly FileReport[];
}

/** What the report says of one file. A file that could not be loaded has a message and no failed test. */
interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[] | null;
  }[];
}

/** The failures of a file, a line or a few each. */
function failuresOf({ name, status, message, assertionResults }: FileReport): string[] {
  const path = relative(ROOT, name);
  const failed = assertionResults.filter((test) => test.status === "failed");
  if (failed.length === 0) return status === "failed" ? [`${path}: ${start(message)}`] : [];
  return failed.map((test) => `${path} > ${test.fullName}: ${start(test.failureMessages?.[0])}`);
}

/** The first lines of an error's text without the places in packages: its message, and where the project's code threw it. */
function start(text = ""): string {
  const lines = text.split("\n").filter((line) => !line.includes("/node_modules/"));
  return lines.slice(0, SHOWN_LINES).join("\n  ");
}

const SHOWN_LINES = 12;

/** Counts the failure of a command without a failed test: a file that cannot be loaded, or an error after the last test. */
function atLeastOneFailure(count: Count, { succeeded, name }: Outcome): Count {
  if (succeeded || count.failed > 0) return count;
  const { passed, failures } = count;
  return {
    passed,
    failed: 1,
    failures: [...failures, `${name}: the command failed without a failed test`],
  };
}

interface Outcome {
  readonly succeeded: boolean;
  readonly name: string;
}

/** Runs npm with more niceness than this process has, prints its output in whole lines, and returns its standard output. */
function npm(
  options: readonly string[],
  niceness: number,
): Promise<{ output: string; succeeded: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", options, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
    if (child.pid !== undefined) setPriority(child.pid, getPriority() + niceness);
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
