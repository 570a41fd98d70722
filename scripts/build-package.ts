import { buildLibrary } from "./lib/build/library.ts";
import { run } from "./lib/main.ts";
import { buildPackage } from "./package/build.ts";

/** Builds what the package `florin` contains, for `npm pack` and `npm publish`: the server and the library `florin/ledger`. */
async function build(): Promise<void> {
  await buildPackage();
  await buildLibrary();
  process.stderr.write("dist/package and dist/library are up to date.\n");
}

await run(build);
