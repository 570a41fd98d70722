import { relative } from "node:path";
import { prepareAssets } from "./lib/build/assets.ts";
import { buildLibrary } from "./lib/build/library.ts";
import { buildWorker } from "./lib/build/worker.ts";
import { run } from "./lib/main.ts";
import { ROOT } from "./lib/project.ts";

/**
 * `npm run build` makes the Worker that `npm start` runs, the files that `wrangler deploy` uploads next to it, and the
 * library `florin/ledger`.
 */
async function build(): Promise<void> {
  await prepareAssets();
  const script = await buildWorker();
  await buildLibrary();
  process.stdout.write(`dist/assets, dist/library and ${relative(ROOT, script)} are up to date.\n`);
}

await run(build);
