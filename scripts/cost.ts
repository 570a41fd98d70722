import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { costTable, withCosts } from "./lib/cost/cost.ts";
import { run } from "./lib/main.ts";
import { inProject, OperatorError } from "./lib/project.ts";

/** `npm run cost`: what a number of transactions a month costs at Cloudflare. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { transactions: { type: "string" }, write: { type: "boolean", default: false } },
  });
  if (values.write) {
    const page = inProject("docs/cost.md");
    writeFileSync(page, withCosts(readFileSync(page, "utf8")));
    return;
  }
  const columns = values.transactions?.split(",").map(toCount);
  process.stdout.write(`${costTable(columns)}\n`);
}

function toCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new OperatorError(`--transactions takes numbers such as 2000000, and ${text} is none.`);
}

const USAGE = `Usage: npm run cost [-- --transactions 2000000,50000000 | --write]

Prints what these numbers of transactions a month cost at Cloudflare. --write writes the table of docs/cost.md.`;

await run(main, { text: USAGE, hasOptions: true });
