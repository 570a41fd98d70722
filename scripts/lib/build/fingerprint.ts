import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { inProject } from "#scripts/lib/project.ts";

const FINGERPRINT_LENGTH = 16;

/** A hash of files and of the files below folders, by which a build is named. Paths are relative to the project. */
export function fingerprintOf(
  paths: readonly string[],
  { except = [] }: { readonly except?: readonly string[] } = {},
): string {
  const hash = createHash("sha256");
  const filesOf = (path: string): string[] => {
    if (except.includes(path)) return [];
    if (statSync(inProject(path)).isFile()) return [path];
    return readdirSync(inProject(path))
      .toSorted()
      .flatMap((name) => filesOf(join(path, name)));
  };
  for (const path of paths.flatMap(filesOf)) {
    hash.update(`${path}\0`).update(readFileSync(inProject(path)));
  }
  return hash.digest("hex").slice(0, FINGERPRINT_LENGTH);
}

/** Removes the builds of other sources from a folder of builds. Builds of the given sources that are under way stay. */
export function removeBuildsExcept(builds: string, name: string): void {
  for (const old of readdirSync(builds)) {
    if (!old.startsWith(name)) rmSync(join(builds, old), { recursive: true, force: true });
  }
}
