import { z } from "zod";
import { pathOf } from "#scripts/florin/api/paths.ts";
import { columns } from "#scripts/florin/columns.ts";
import type { Call, Noun, Outcome } from "#scripts/florin/command.ts";

const Sweep = z.object({
  name: z.string(),
  purges: z.boolean(),
  lastRun: z.string().optional(),
  nextRun: z.string().optional(),
  lastSuccess: z.string().optional(),
  lastFailure: z.object({ date: z.string(), error: z.string() }).optional(),
  failures: z.int(),
});
type Sweep = z.output<typeof Sweep>;
const Ring = z.object({ name: z.string(), runsAt: z.string() });

const PATH = "/api/florin/v1/sweeps";
const SCOPES = ["florin:operate"];

export const noun: Noun = {
  summary: "What completes the work that a crash has left undone",
  verbs: {
    list: { summary: "Lists the sweeps with their last runs and failures", run: list },
    run: { summary: "Lets a sweep run now", parameters: ["name"], run },
  },
};

async function list(call: Call): Promise<Outcome> {
  const api = await call.connect(SCOPES);
  const { data } = await api.call({
    method: "GET",
    path: PATH,
    answer: z.object({ data: z.array(Sweep) }),
  });
  return { data, lines: columns(data.map(rowOf)) };
}

const rowOf = ({ name, lastRun, failures, lastFailure }: Sweep): string[] => [
  name,
  lastRun === undefined ? "has never run" : `ran ${lastRun}`,
  failures === 0 ? "" : `${failures} failures in a row: ${lastFailure?.error ?? ""}`,
];

async function run(call: Call): Promise<Outcome> {
  const api = await call.connect(SCOPES);
  const { data } = await api.call({
    method: "POST",
    path: pathOf(`${PATH}/{name}/run`, call),
    answer: z.object({ data: Ring }),
  });
  return { data, lines: [`The sweep ${data.name} runs at ${data.runsAt}.`] };
}
