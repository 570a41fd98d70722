import { z } from "zod";
import { parseRate, type QuotaRate } from "#modules/auth/core/quota.ts";
import { columns } from "#scripts/florin/columns.ts";
import { type Call, type Outcome, UsageError, type Verb } from "#scripts/florin/command.ts";
import type { Api } from "#scripts/lib/api.ts";

const RateView = z.object({ perSecond: z.number(), burst: z.number(), left: z.number() });
const QuotaView = z.object({
  clientId: z.string(),
  source: z.enum(["own", "default", "none"]),
  requests: RateView.optional(),
  writes: RateView.optional(),
  elements: RateView.optional(),
  streams: z.object({ most: z.number(), open: z.number() }).optional(),
});
type QuotaView = z.output<typeof QuotaView>;

const RATE = "a second, as in 50, or 50/200 with the burst";

/** The verbs of a client's quota. `clientOf` finds the client that a call names. */
export const quotaVerbs = (
  clientOf: (api: Api, call: Call) => Promise<{ readonly id: string }>,
): Readonly<Record<string, Verb>> => ({
  quota: {
    summary: "Shows how much a client, by id or name, may ask for, and what is left of it",
    parameters: ["client"],
    run: async (call) => {
      const api = await call.connect(["auth:read"]);
      const path = pathOf(await clientOf(api, call));
      return shown(await api.call({ method: "GET", path, answer: ANSWER }));
    },
  },
  "set-quota": {
    summary: "Gives a client, by id or name, a quota; what is not named is not limited",
    parameters: ["client"],
    options: {
      requests: { kind: "text", meaning: `requests ${RATE}` },
      writes: { kind: "text", meaning: `those of them that write, ${RATE}` },
      elements: { kind: "text", meaning: `elements of bulks and imports ${RATE}` },
      streams: { kind: "text", meaning: "streams that are open at once" },
    },
    run: async (call) => {
      const body = {
        requests: rateOf(call, "requests"),
        writes: rateOf(call, "writes"),
        elements: rateOf(call, "elements"),
        streams: streamsOf(call),
      };
      const api = await call.connect(["auth:write", "auth:read"]);
      const path = pathOf(await clientOf(api, call));
      return shown(await api.call({ method: "PUT", path, body, answer: ANSWER }));
    },
  },
  "clear-quota": {
    summary: "Takes the own quota of a client, by id or name, away",
    parameters: ["client"],
    run: async (call) => {
      const api = await call.connect(["auth:write", "auth:read"]);
      const { id } = await clientOf(api, call);
      await api.call({ method: "DELETE", path: pathOf({ id }), answer: z.undefined() });
      return { data: { id }, lines: [`The client ${id} has no quota of its own.`] };
    },
  },
});

const ANSWER = z.object({ data: QuotaView });

function rateOf(call: Call, name: string): QuotaRate | null {
  const text = call.text(name);
  if (text === undefined) return null;
  const rate = parseRate(text);
  if (rate !== undefined) return rate;
  throw new UsageError(
    `--${name} takes a number a second, as in 50, or 50/200 with a burst that is no smaller.`,
  );
}

function streamsOf(call: Call): number | null {
  const text = call.text("streams");
  if (text === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError("--streams takes a number of streams, such as 5.");
}

function shown({ data }: { data: QuotaView }): Outcome {
  const { clientId, source, streams } = data;
  const rates = (["requests", "writes", "elements"] as const).flatMap((kind) => {
    const rate = data[kind];
    if (rate === undefined) return [];
    const { perSecond, burst, left } = rate;
    return [[kind, `${perSecond} a second, ${burst} at once`, `${left} left`]];
  });
  const rows = [
    ["client", clientId, SOURCES[source]],
    ...rates,
    ...(streams === undefined
      ? []
      : [["streams", `${streams.most} at once`, `${streams.open} open`]]),
  ];
  return { data, lines: columns(rows) };
}

const SOURCES = {
  own: "a quota of its own",
  default: "the default quota of the settings",
  none: "no quota",
} as const;

const pathOf = ({ id }: { readonly id: string }): string =>
  `/api/florin/v1/clients/${encodeURIComponent(id)}/quota`;
