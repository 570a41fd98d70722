import { z } from "zod";
import { Client } from "./lib/client.ts";
import { run } from "./lib/main.ts";
import { OperatorError } from "./lib/project.ts";
import { findTarget } from "./lib/target.ts";

const USAGE = "Usage: npm run ledger -- verify <ledger>";

const Amount = z.union([z.int(), z.bigint()]);
const Report = z.object({
  data: z.object({
    status: z.enum(["running", "consistent", "inconsistent"]),
    lastLogId: z.int(),
    rows: z.record(z.string(), z.int()),
    totals: z.array(z.object({ asset: z.string(), input: Amount, output: Amount })),
    differences: z.array(
      z.object({
        table: z.string(),
        key: z.string(),
        problem: z.string(),
        column: z.string().optional(),
        stored: z.string().optional(),
        expected: z.string().optional(),
      }),
    ),
  }),
});
type Report = z.output<typeof Report>["data"];

/** `npm run ledger -- verify <ledger>` compares a ledger of the running server with its log. */
async function main(): Promise<void> {
  const [command, ledger, ...rest] = process.argv.slice(2);
  if (command !== "verify" || ledger === undefined || rest.length > 0)
    throw new OperatorError(USAGE);
  const client = await Client.connect(findTarget(process.env));
  const report = await verify(client, ledger);
  for (const { asset, input, output } of report.totals) {
    say(`  ${asset}: received ${input}, sent ${output}`);
  }
  const compared = Object.entries(report.rows).map(([table, rows]) => `${rows} of ${table}`);
  say(`  ${compared.join(", ")} compared`);
  if (report.status === "consistent") {
    say(`The ledger ${ledger} agrees with its log up to entry ${report.lastLogId}.`);
    return;
  }
  for (const { table, key, problem, column, stored, expected } of report.differences) {
    const detail = column === undefined ? "" : `: ${column} is ${stored}, expected ${expected}`;
    say(`  ${table} ${key}: ${problem}${detail}`);
  }
  throw new OperatorError(
    `The ledger ${ledger} differs from its log: ${report.differences.length} differences.`,
  );
}

/** Calls the server until it is done: each call verifies for a few seconds only. */
async function verify(client: Client, ledger: string): Promise<Report> {
  const path = `/api/florin/v1/ledgers/${encodeURIComponent(ledger)}/verify`;
  for (;;) {
    const { status, body } = await client.send("POST", path);
    if (status !== 200) {
      const { errorMessage } = z.object({ errorMessage: z.string() }).parse(body);
      throw new OperatorError(errorMessage);
    }
    const { data } = Report.parse(body);
    if (data.status !== "running") return data;
    say(`  entry ${data.lastLogId}, ${sum(Object.values(data.rows))} rows compared`);
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

await run(main);
