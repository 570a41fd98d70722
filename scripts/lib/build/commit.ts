import { execFileSync } from "node:child_process";
import { ROOT } from "#scripts/lib/project.ts";

/**
 * The commit whose sources are those of a folder, by default the project; undefined where they were changed since, and outside of a clone,
 * as in an installed package.
 */
export function commitOf(sources: readonly string[], root: string = ROOT): string | undefined {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  try {
    if (git("rev-parse", "--show-prefix").trim() !== "") return undefined; // A clone of something else, in which the folder lies.
    const changes = git("status", "--porcelain", "--", ...sources);
    return changes === "" ? git("rev-parse", "HEAD").trim() : undefined;
  } catch {
    return undefined;
  }
}

/** The options that make wrangler write the commit of the sources into the Worker, where it is known. */
export function commitOptions(sources: readonly string[]): readonly string[] {
  const commit = commitOf(sources);
  return commit === undefined ? [] : ["--define", `FLORIN_COMMIT:"${commit}"`];
}
