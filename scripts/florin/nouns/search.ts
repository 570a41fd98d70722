import { z } from "zod";
import { columns } from "#scripts/florin/columns.ts";
import type { Call, Noun, Outcome } from "#scripts/florin/command.ts";
import type { Api } from "#scripts/lib/api.ts";
import { commandOf } from "#scripts/lib/place.ts";

const Behind = z.object({ origin: z.string(), since: z.string().optional(), reason: z.string() });
const Index = z.object({
  generation: z.int(),
  since: z.string(),
  origins: z.int(),
  pending: z.int(),
  behindCount: z.int(),
  behind: z.array(Behind),
});
const State = z.object({
  enabled: z.boolean(),
  shards: z.array(
    z.object({
      shard: z.int(),
      bytes: z.int(),
      serving: Index.optional(),
      building: Index.optional(),
    }),
  ),
  gaps: z.array(Behind),
});
type State = z.output<typeof State>;

const PATH = "/api/florin/v1/search";
/** How often the command looks how far the rebuild is, in milliseconds. */
const LOOK_MS = 1000;

export const noun: Noun = {
  summary: "The index of the search",
  verbs: {
    state: {
      summary: "Shows how far the index is, and what it has not read, since when and why",
      run: state,
    },
    rebuild: {
      summary: "Builds the index anew from all logs and lists, while it serves",
      options: {
        wait: { kind: "flag", meaning: "ends only when the new index serves" },
      },
      run: rebuild,
    },
  },
};

async function state(call: Call): Promise<Outcome> {
  const data = await readState(await call.connect(["florin:operate"]));
  return { data, lines: linesOf(data) };
}

async function rebuild(call: Call): Promise<Outcome> {
  const isWaiting = call.flag("wait");
  const scopes = isWaiting ? ["search:write", "florin:operate"] : ["search:write"];
  const api = await call.connect(scopes);
  await api.call({ method: "POST", path: `${PATH}/rebuild`, answer: z.undefined() });
  if (!isWaiting) {
    return {
      data: {},
      lines: [`The rebuild has begun. ${commandOf("florin", "search state")} shows how far it is.`],
    };
  }
  for (;;) {
    const data = await readState(api);
    const left = data.shards.filter(({ building }) => building !== undefined).length;
    if (left === 0) return { data, lines: ["The new index serves."] };
    call.note(`  ${left} of ${data.shards.length} shards are being built`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function readState(api: Api): Promise<State> {
  const { data } = await api.call({ method: "GET", path: PATH, answer: z.object({ data: State }) });
  return data;
}

function linesOf({ enabled, shards, gaps }: State): string[] {
  const behind = shards.flatMap(({ serving }) => serving?.behind ?? []);
  const late = [...behind, ...gaps].map(({ origin, since = "", reason }) => [
    origin,
    since,
    reason,
  ]);
  const rows = shards.map(({ shard, bytes, serving, building }) => [
    `Shard ${shard}`,
    serving === undefined ? "empty" : `index ${serving.generation} since ${serving.since}`,
    `${bytes} bytes`,
    building === undefined
      ? ""
      : `index ${building.generation} is built, ${building.behindCount} behind`,
  ]);
  return [
    ...(enabled ? [] : ["The search is off (FLORIN_SEARCH)."]),
    ...columns(rows),
    ...(late.length === 0 ? ["Nothing is behind."] : ["Behind:", ...columns(late)]),
  ];
}
