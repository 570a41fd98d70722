import { buildLibrary } from "./lib/library.ts";
import { run } from "./lib/main.ts";

/** `npm pack` and `npm publish`: the library `florin/ledger`, which is all that the package holds. */
async function build(): Promise<void> {
  const bytes = await buildLibrary();
  process.stderr.write(`dist/library is up to date, ${(bytes / 1000).toFixed(0)} kB.\n`);
}

await run(build);
