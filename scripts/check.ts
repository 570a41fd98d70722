import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { prepareAssets } from "./lib/assets.ts";
import { bundle } from "./lib/build.ts";
import { run } from "./lib/main.ts";
import { inProject, OperatorError, ROOT, WRANGLER, WRANGLER_ENV } from "./lib/project.ts";

/** `npm run check` runs all checks that do not execute the code, side by side. */
async function check(): Promise<void> {
  const results = await Promise.all([
    report("types", () => command("tsc", TYPES, GO)),
    report("lint", () => command("oxlint", [], GO)),
    report("format", () => command("oxfmt", ["--check", "."])),
    report("rooms", () => command("node", ["scripts/rooms.ts"])),
    report("bindings", checkBindings),
    report("build", checkBuild),
  ]);
  const failed = results.filter((passed) => !passed).length;
  console.log(`${results.length - failed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

/**
 * Threads of each of the two long checks, which run side by side. The threads of one check repeat much of each other's
 * work: on two processors, four threads that check types take twice as long as one.
 */
const THREADS = Math.max(1, Math.floor(availableParallelism() / 2));

/** Both are Go programs. They end soon, so collecting garbage costs them more than using more memory. */
const GO = { GOMAXPROCS: `${THREADS}`, GOGC: "400" };

/** The results of the last run are kept, and only files that depend on a change are checked again. */
const TYPES = [
  "-p",
  ".",
  "--incremental",
  "--tsBuildInfoFile",
  "dist/check.tsbuildinfo",
  "--checkers",
  `${THREADS}`,
];

/** Largest compressed size of an upload. */
const UPLOAD_BYTES_MAX = 1_000_000;

/**
 * Runs one check, prints its outcome, and returns whether it passed. A check fails by throwing an error with its
 * message.
 */
async function report(name: string, work: () => Promise<string>): Promise<boolean> {
  const startedMs = performance.now();
  const seconds = (): string => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
  try {
    const remark = await work();
    console.log(`ok      ${name.padEnd(9)} ${seconds()}  ${remark}`);
    return true;
  } catch (error) {
    console.log(`FAILED  ${name.padEnd(9)} ${seconds()}\n${outputOf(error)}`);
    return false;
  }
}

async function command(
  name: string,
  options: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  await promisify(execFile)(inProject("node_modules/.bin", name), options, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return "";
}

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Checks that src/env.d.ts declares what wrangler.toml binds. The empty file makes wrangler ignore `.dev.vars`. */
async function checkBindings(): Promise<string> {
  const options = ["types", "src/env.d.ts", "--include-runtime=false", "--env-file=/dev/null"];
  await promisify(execFile)(process.execPath, [WRANGLER, ...options, "--check"], {
    cwd: ROOT,
    env: { ...process.env, ...WRANGLER_ENV },
  });
  return "";
}

/** Builds what would be deployed and checks its compressed size. */
async function checkBuild(): Promise<string> {
  await prepareAssets();
  const folder = mkdtempSync(join(tmpdir(), "florin-check-"));
  try {
    await bundle(folder);
    const bytes = gzipSync(readFileSync(join(folder, "index.js"))).byteLength;
    const size = `${(bytes / 1000).toFixed(0)} kB compressed`;
    if (bytes <= UPLOAD_BYTES_MAX) return size;
    throw new OperatorError(`The Worker has ${size}; ${UPLOAD_BYTES_MAX / 1000} kB are allowed.`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a failed command printed, or the message of another error. */
function outputOf(error: unknown): string {
  const { stdout = "", stderr = "", message } = error as Partial<Error & Output>; // of `execFile`, or of a check
  return `${stdout}${stderr}`.trim() || (message ?? String(error));
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

await run(check);
