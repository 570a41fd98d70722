import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { servedFiles } from "./served-files.ts";
import { guideSources, writeSources } from "./sources.ts";
import { fingerprintOf, removeBuildsExcept } from "#scripts/lib/build/fingerprint.ts";
import { inProject, OperatorError, ROOT } from "#scripts/lib/project.ts";

const VITEPRESS = inProject("node_modules/vitepress/bin/vitepress.js");

/**
 * Builds the documentation with VitePress, in a process of its own, unless its sources are those of an existing build. Returns the folder of
 * the files that are served. Several processes may build at once, as with the Worker. Throws `OperatorError` with VitePress's output, for
 * example if a link leads nowhere.
 */
export async function buildGuide(): Promise<string> {
  const builds = inProject("dist/guide");
  const name = fingerprintOf(guideSources());
  const folder = join(builds, name);
  if (existsSync(folder)) return folder;
  mkdirSync(builds, { recursive: true });
  removeBuildsExcept(builds, name);
  const fresh = mkdtempSync(join(builds, `${name}-`));
  try {
    const [sources, built, served] = ["sources", "built", "served"].map((part) =>
      join(fresh, part),
    ) as [string, string, string]; // three parts have three paths
    writeSources(sources);
    await runVitePress(sources, built);
    for (const [path, content] of servedFiles(built)) {
      mkdirSync(dirname(join(served, path)), { recursive: true });
      writeFileSync(join(served, path), content);
    }
    // The build of a faster process stays, because both builds have equal sources.
    if (!existsSync(folder)) renameSync(served, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

async function runVitePress(sources: string, built: string): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [VITEPRESS, "build", sources, "--outDir", built], {
      cwd: ROOT,
      env: { ...process.env, NODE_ENV: "production" },
    });
  } catch (cause) {
    const { stdout = "", stderr = "" } = cause as { stdout?: string; stderr?: string }; // `execFile` throws errors with the output.
    throw new OperatorError(`The guide does not build.\n${stdout}${stderr}`, { cause });
  }
}
