import { createInterface } from "node:readline/promises";
import { deploy, destroy } from "./deploy/deploy.ts";
import { readOptions, USAGE } from "./deploy/options.ts";
import type { BuiltWorker } from "./deploy/plan.ts";
import { uploadWorker } from "./deploy/wrangler.ts";
import { fingerprintOf } from "./lib/build/fingerprint.ts";
import { buildWorker } from "./lib/build/worker.ts";
import { run } from "./lib/main.ts";

/** Asks on the terminal; undefined without a terminal. */
async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

async function build(): Promise<BuiltWorker> {
  const script = await buildWorker(); // It writes the assets, too.
  return { script, assets: fingerprintOf(["dist/assets"]) };
}

/** `npm run deploy` makes, updates or deletes a deployment at Cloudflare. */
await run(async () => {
  const options = readOptions(process.argv.slice(2));
  const write = (text: string): void => void process.stdout.write(text);
  if (options.help) write(USAGE);
  else {
    const { env } = process;
    const tools = { env, write, ask, build, upload: uploadWorker };
    await (options.destroy ? destroy(options, tools) : deploy(options, tools));
  }
});
