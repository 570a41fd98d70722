import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { runCommand } from "./florin/main.ts";
import { loadNouns } from "./florin/nouns.ts";
import { run } from "./lib/main.ts";

/** The exit code after Ctrl-C, as shells have it. */
const INTERRUPTED = 130;

/** `npm run florin -- <noun> <verb>` is the operators' command line. */
await run(async () => {
  const { stdin, stdout, stderr } = process;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0); // The reader of a pipe has closed it.
    stderr.write(`The result cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  process.on("SIGINT", () => process.exit(INTERRUPTED));
  process.exitCode = await runCommand(process.argv.slice(2), await loadNouns(), {
    env: process.env,
    write: async (line) => {
      if (!stdout.write(`${line}\n`)) await once(stdout, "drain");
    },
    note: (line) => void stderr.write(`${line}\n`),
    width: stdout.isTTY ? stdout.columns : undefined,
    ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
  });
});

/** Asks on standard error, which is no part of the result. Ctrl-C and the end of the input end the command. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  lines.once("close", () => process.exit(INTERRUPTED));
  const answer = await lines.question(question);
  lines.removeAllListeners("close").close();
  return answer;
}
