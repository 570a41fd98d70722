import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { prepareAssets } from "./assets.ts";
import { commitOptions } from "./commit.ts";
import { fingerprintOf, removeBuildsExcept } from "./fingerprint.ts";
import { inProject, OperatorError, ROOT, WRANGLER, WRANGLER_ENV } from "#scripts/lib/project.ts";

/**
 * Builds the Worker and its assets as for a deployment, unless the Worker's sources are those of an existing build. Returns the path of its script. Several
 * processes may build at once: each build has a folder of its own, named by a hash of its sources.
 */
export async function buildWorker(): Promise<string> {
  const builds = inProject("dist/worker");
  const name = fingerprintOf(WORKER_SOURCES, { except: OTHER_SOURCES });
  const script = join(builds, name, "index.js");
  await prepareAssets();
  if (existsSync(script)) return script;
  mkdirSync(builds, { recursive: true });
  removeBuildsExcept(builds, name);
  const fresh = mkdtempSync(join(builds, `${name}-`));
  try {
    await bundle(fresh);
    // The build of a faster process stays, because both builds have equal sources.
    if (!existsSync(script)) renameSync(fresh, join(builds, name));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return script;
}

/** Bundles the Worker into a folder with wrangler, without a deployment. Throws `OperatorError` with wrangler's output. */
export async function bundle(folder: string): Promise<void> {
  try {
    await promisify(execFile)(
      process.execPath,
      [WRANGLER, "deploy", "--dry-run", "--outdir", folder, ...commitOptions(WORKER_SOURCES)],
      { cwd: ROOT, env: { ...process.env, ...WRANGLER_ENV } },
    );
  } catch (cause) {
    const { stdout = "", stderr = "" } = cause as { stdout?: string; stderr?: string }; // `execFile` throws errors with the output.
    throw new OperatorError(`The Worker does not build.\n${stdout}${stderr}`, { cause });
  }
}

/**
 * The sources of a build: package.json has the package imports, the lock file the versions of all packages. The Worker has only the
 * declarations of the console and of the guide, whose files are served beside the Worker.
 */
export const WORKER_SOURCES = [
  "src",
  "src/console/site.ts",
  "src/console/base-path.ts",
  "src/guide/site.ts",
  "migrations/meta/_journal.json",
  "wrangler.toml",
  "tsconfig.json",
  "package.json",
  "package-lock.json",
];
const OTHER_SOURCES = ["src/console", "src/guide"];
