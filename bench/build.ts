import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { prepareAssets } from "#scripts/lib/assets.ts";
import { inProject, ROOT, WRANGLER, WRANGLER_ENV } from "#scripts/lib/project.ts";

/** Bundles one of the bench's own Workers, with the settings of wrangler.toml. Returns the path of its script. */
export async function buildBenchWorker(name: "ceilings" | "counting"): Promise<string> {
  const folder = inProject("dist/bench", name);
  await prepareAssets(); // wrangler.toml names their folder
  const entry = `bench/workers/${name}.ts`;
  await promisify(execFile)(
    process.execPath,
    [WRANGLER, "deploy", entry, "--dry-run", "--outdir", folder],
    { cwd: ROOT, env: { ...process.env, ...WRANGLER_ENV } },
  );
  return join(folder, `${name}.js`);
}
