import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fingerprintOf, removeBuildsExcept } from "./fingerprint.ts";
import { inProject } from "#scripts/lib/project.ts";

/** The sources of the console's build, which are not those of the Worker's. */
export const CONSOLE_SOURCES = [
  "src/console",
  "src/platform",
  "scripts/lib/build",
  "package.json",
  "package-lock.json",
];

/** Runs a build with the environment of production. Servers of tests have another one, for which libraries would bundle their slow variants. */
async function inProduction(work: () => Promise<unknown>): Promise<void> {
  const { NODE_ENV: before } = process.env;
  process.env["NODE_ENV"] = "production";
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = before;
  }
}

/**
 * Builds the console, unless its sources are those of an existing build. Returns the folder of its files. Several processes may build at
 * once, as with the Worker.
 */
export async function buildConsole(): Promise<string> {
  const builds = inProject("dist/console");
  const name = fingerprintOf(CONSOLE_SOURCES);
  const folder = join(builds, name);
  if (existsSync(folder)) return folder;
  mkdirSync(builds, { recursive: true });
  removeBuildsExcept(builds, name);
  const fresh = mkdtempSync(join(builds, `${name}-`));
  try {
    const [{ build }, { consoleConfig }] = await Promise.all([
      import("vite"),
      import("./vite-config.ts"),
    ]);
    await inProduction(() => build(consoleConfig(fresh)));
    // The build of a faster process stays, because both builds have equal sources.
    if (!existsSync(folder)) renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}
