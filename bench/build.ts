import { execFile } from "node:child_process";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { prepareAssets } from "#scripts/lib/build/assets.ts";
import { inProject, ROOT, WRANGLER, WRANGLER_ENV } from "#scripts/lib/project.ts";

/** Bundles one of the bench's own Workers, with the settings of wrangler.toml. Returns the path of its script. */
export const buildBenchWorker = (name: "ceilings" | "counting"): Promise<string> =>
  buildEntry(`bench/workers/${name}.ts`, inProject("dist/bench", name));

/** Bundles the product with the names of its functions and the paths of its files, for profiles. */
export const buildReadableWorker = (): Promise<string> =>
  buildEntry("src/index.ts", inProject("dist/bench/readable"), ["--minify=false"]);

/** Bundles a Worker of this project into a folder, with the settings of wrangler.toml. Returns the path of its script. */
export async function buildEntry(
  entry: string,
  folder: string,
  flags: readonly string[] = [],
): Promise<string> {
  await prepareAssets(); // wrangler.toml names the folder of the assets.
  await promisify(execFile)(
    process.execPath,
    [WRANGLER, "deploy", entry, "--dry-run", "--outdir", folder, ...flags],
    { cwd: ROOT, env: { ...process.env, ...WRANGLER_ENV } },
  );
  return join(folder, `${basename(entry, ".ts")}.js`);
}
