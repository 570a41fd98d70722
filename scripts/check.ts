import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { writeApiTypes } from "./lib/build/api-types.ts";
import { measureConsole } from "./lib/build/console-sizes.ts";
import { buildConsole } from "./lib/build/console.ts";
import { wranglerConfig } from "./lib/build/sites.ts";
import { buildWorker } from "./lib/build/worker.ts";
import { run } from "./lib/main.ts";
import {
  inProject,
  OperatorError,
  ROOT,
  WRANGLER,
  WRANGLER_ENV,
  WRANGLER_TYPES,
} from "./lib/project.ts";

/** `npm run check` runs all checks that do not execute the code, concurrently. */
async function check(): Promise<void> {
  await writeApiTypes(); // The console's sources import them.
  const results = await Promise.all([
    report("types, lint", () => command("oxlint", [], LINTER)),
    report("format", () => command("oxfmt", ["--check", "."])),
    report("rooms", () => command("node", ["scripts/rooms.ts"])),
    report("bindings", checkBindings),
    report("build", checkBuild),
    report("console", checkConsole),
  ]);
  const failed = results.filter((passed) => !passed).length;
  console.log(`${results.length - failed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

/**
 * The environment of the linter. The linter needs the types anyway and also reports the compiler's errors (`typeCheck` of its
 * configuration), so that no compiler runs beside it. Its larger part is a short-lived Go program, for which garbage collection costs more
 * than additional memory, and whose threads each have types of their own: each lints the files whose types it has checked, instead of the
 * next ones (https://github.com/oxc-project/tsgolint/issues/1175).
 */
const LINTER = { GOGC: "800", OXLINT_TSGOLINT_CHECKER_SCHEDULING: "affinity" };

/** Largest compressed size of an upload, in bytes. The platform takes 3 MB; each start of an isolate reads all of it. */
const UPLOAD_BYTES_MAX = 1_200_000;

/** Runs one check, prints its outcome, and returns whether it passed. A check fails by throwing an error. */
async function report(name: string, work: () => Promise<string>): Promise<boolean> {
  const startedMs = performance.now();
  const seconds = (): string => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
  try {
    const remark = await work();
    console.log(`ok      ${name.padEnd(12)} ${seconds()}  ${remark}`);
    return true;
  } catch (error) {
    console.log(`FAILED  ${name.padEnd(12)} ${seconds()}\n${outputOf(error)}`);
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

/** Checks that wrangler.toml has the paths of all sites, and that src/env.d.ts declares what wrangler.toml binds. */
async function checkBindings(): Promise<string> {
  if ((await wranglerConfig()) !== readFileSync(inProject("wrangler.toml"), "utf8")) {
    throw new OperatorError("run_worker_first in wrangler.toml lacks paths: run `npm run types`");
  }
  await promisify(execFile)(process.execPath, [WRANGLER, ...WRANGLER_TYPES, "--check"], {
    cwd: ROOT,
    env: { ...process.env, ...WRANGLER_ENV },
  });
  return "";
}

/** Builds the Worker, which the tests and `npm start` use, too, and checks its compressed size. */
async function checkBuild(): Promise<string> {
  const bytes = gzipSync(readFileSync(await buildWorker())).byteLength;
  const size = `${(bytes / 1000).toFixed(0)} kB compressed`;
  if (bytes <= UPLOAD_BYTES_MAX) return size;
  throw new OperatorError(`The Worker has ${size}; ${UPLOAD_BYTES_MAX / 1000} kB are allowed.`);
}

/** Most compressed script that every page of the console loads, and that a page loads besides, in bytes. */
const FIRST_LOAD_BYTES_MAX = 200_000;
const PAGE_BYTES_MAX = 120_000;

/** Checks the compressed sizes of the console's scripts. */
async function checkConsole(): Promise<string> {
  const { firstBytes, largest } = measureConsole(await buildConsole());
  const sizes = `${kilobytes(firstBytes)} compressed at first, ${kilobytes(largest.bytes)} more for ${largest.name}`;
  if (firstBytes <= FIRST_LOAD_BYTES_MAX && largest.bytes <= PAGE_BYTES_MAX) return sizes;
  throw new OperatorError(
    `The console has ${sizes}; ${kilobytes(FIRST_LOAD_BYTES_MAX)} and ${kilobytes(PAGE_BYTES_MAX)} are allowed.`,
  );
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`;

/** The output of a failed command, or the message of another error. */
function outputOf(error: unknown): string {
  const { stdout = "", stderr = "", message } = error as Partial<Error & Output>; // `execFile` throws an error with output, a check one with a message.
  return `${stdout}${stderr}`.trim() || (message ?? String(error));
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

await run(check);
