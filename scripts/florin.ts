import { runCommand } from "./florin/main.ts";
import { loadNouns } from "./florin/nouns.ts";
import { run } from "./lib/main.ts";

/** `npm run florin -- <noun> <verb>` is the operators' command line. */
await run(async () => {
  process.stdout.on("error", () => process.exit(0)); // The reader of a pipe has closed it.
  process.exitCode = await runCommand(process.argv.slice(2), await loadNouns(), {
    env: process.env,
    write: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
  });
});
