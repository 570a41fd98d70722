import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { wranglerConfig } from "./lib/build/sites.ts";
import { run } from "./lib/main.ts";
import { inProject, ROOT, WRANGLER, WRANGLER_ENV, WRANGLER_TYPES } from "./lib/project.ts";

/** `npm run types` writes what follows from other files: the paths of sites in `wrangler.toml`, and the types of its bindings in `src/env.d.ts`. */
async function types(): Promise<void> {
  writeFileSync(inProject("wrangler.toml"), await wranglerConfig());
  const { stdout } = await promisify(execFile)(process.execPath, [WRANGLER, ...WRANGLER_TYPES], {
    cwd: ROOT,
    env: { ...process.env, ...WRANGLER_ENV },
  });
  process.stdout.write(stdout);
}

await run(types);
