import { z } from "zod";
import { pathOf } from "#scripts/florin/api/paths.ts";
import type { Call, Outcome, Verb } from "#scripts/florin/command.ts";
import type { Api } from "#scripts/lib/api.ts";

const Amount = z.union([z.int(), z.bigint()]);
const Report = z.object({
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
});
type Report = z.output<typeof Report>;

/** Rebuilds a ledger from its log, and compares every row. */
export const verify: Verb = {
  summary: "Rebuilds a ledger from its log and compares every row",
  parameters: ["ledger"],
  run,
};

async function run(call: Call): Promise<Outcome> {
  const ledger = call.parameter("ledger");
  const path = pathOf("/api/florin/v1/ledgers/{ledger}/verify", call);
  const report = await reportOf(path, await call.connect(["ledger:write"]), call.note);
  const { totals, rows, status, lastLogId, differences } = report;
  const compared = Object.entries(rows).map(([table, count]) => `${count} of ${table}`);
  const lines = [
    ...totals.map(({ asset, input, output }) => `  ${asset}: received ${input}, sent ${output}`),
    `  ${compared.join(", ")} compared`,
  ];
  if (status === "consistent") {
    const text = `The ledger ${ledger} agrees with its log up to entry ${lastLogId}.`;
    return { data: report, lines: [...lines, text] };
  }
  return {
    data: report,
    lines: [...lines, ...differences.map(describe)],
    failure: `The ledger ${ledger} differs from its log: ${differences.length} differences.`,
  };
}

/** Calls the server until the verification is done: each call verifies for a few seconds. */
async function reportOf(path: string, api: Api, note: Call["note"]): Promise<Report> {
  const answer = z.object({ data: Report });
  for (;;) {
    const { data } = await api.call({ method: "POST", path, answer });
    if (data.status !== "running") return data;
    const rows = Object.values(data.rows).reduce((sum, count) => sum + count, 0);
    note(`  entry ${data.lastLogId}, ${rows} rows compared`);
  }
}

function describe({
  table,
  key,
  problem,
  column,
  stored,
  expected,
}: Report["differences"][number]) {
  const detail = column === undefined ? "" : `: ${column} is ${stored}, expected ${expected}`;
  return `  ${table} ${key}: ${problem}${detail}`;
}
