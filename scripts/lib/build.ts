import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { prepareAssets } from "./assets.ts";
import { inProject, OperatorError, ROOT, WRANGLER, WRANGLER_ENV } from "./project.ts";

/**
 * Builds the Worker as for a deployment, unless its sources are those of an existing build. Returns the path of its script. Several
 * processes may build at once: each build has a folder of its own, named by a hash of its sources.
 */
export async function buildWorker(): Promise<string> {
  const builds = inProject("dist/worker");
  const name = fingerprint();
  const script = join(builds, name, "index.js");
  if (existsSync(script)) return script;
  await prepareAssets();
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
      [WRANGLER, "deploy", "--dry-run", "--outdir", folder],
      { cwd: ROOT, env: { ...process.env, ...WRANGLER_ENV } },
    );
  } catch (cause) {
    const { stdout = "", stderr = "" } = cause as { stdout?: string; stderr?: string }; // `execFile` throws errors with the output.
    throw new OperatorError(`The Worker does not build.\n${stdout}${stderr}`, { cause });
  }
}

/** The sources of a build: package.json has the package imports, the lock file the versions of all packages. */
const SOURCES = [
  "src",
  "migrations/meta/_journal.json",
  "wrangler.toml",
  "tsconfig.json",
  "package.json",
  "package-lock.json",
];
const FINGERPRINT_LENGTH = 16;

function fingerprint(): string {
  const hash = createHash("sha256");
  for (const path of SOURCES.flatMap(filesOf)) {
    hash.update(`${path}\0`).update(readFileSync(inProject(path)));
  }
  return hash.digest("hex").slice(0, FINGERPRINT_LENGTH);
}

function filesOf(path: string): string[] {
  if (statSync(inProject(path)).isFile()) return [path];
  return readdirSync(inProject(path))
    .toSorted()
    .flatMap((name) => filesOf(join(path, name)));
}

function removeBuildsExcept(builds: string, name: string): void {
  for (const old of readdirSync(builds)) {
    if (!old.startsWith(name)) rmSync(join(builds, old), { recursive: true, force: true });
  }
}
