import { buildLibrary } from "./lib/build/library.ts";
import { run } from "./lib/main.ts";

/** Builds the library `florin/ledger` for `npm pack` and `npm publish`; the package contains only the library. */
async function build(): Promise<void> {
  const bytes = await buildLibrary();
  process.stderr.write(`dist/library is up to date, ${(bytes / 1000).toFixed(0)} kB.\n`);
}

await run(build);
