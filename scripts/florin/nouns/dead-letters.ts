import { z } from "zod";
import { act } from "#scripts/florin/api/act.ts";
import { cellsOf, type ShownFields } from "#scripts/florin/api/fields.ts";
import { byQuery } from "#scripts/florin/api/filters.ts";
import { list, readItems } from "#scripts/florin/api/list.ts";
import { pathOf } from "#scripts/florin/api/paths.ts";
import { Data, show } from "#scripts/florin/api/show.ts";
import { columns } from "#scripts/florin/columns.ts";
import type { Call, Noun, Outcome } from "#scripts/florin/command.ts";
import { type Api, RefusedCall } from "#scripts/lib/api.ts";

const LIST = "/api/florin/v1/dead-letters";
const PATH = `${LIST}/{letter}`;
const SCOPE = "florin:operate";
/** The statuses for a letter that no longer waits: it was dropped, or is being sent. */
const GONE: ReadonlySet<number> = new Set([404, 409]);
const PAGE_SIZE = 100;

const COLUMNS: ShownFields = {
  Id: "id",
  State: "state",
  Ledger: "ledger",
  "Last seen": "lastSeen",
  Arrivals: "arrivals",
  Reason: ({ error }) => error ?? "no reason is known",
};

export const noun: Noun = {
  summary: "Messages that a queue has given up",
  verbs: {
    list: list({
      summary: "Lists dead letters, newest first, with the reasons why they were refused",
      path: LIST,
      scope: SCOPE,
      filters: byQuery("state", "ledger"),
      columns: COLUMNS,
      empty: "There are no dead letters.",
    }),
    show: show({
      summary: "Shows a dead letter",
      parameters: ["letter"],
      path: PATH,
      scope: SCOPE,
      fields: {
        ...COLUMNS,
        Queue: "queue",
        "First seen": "firstSeen",
        Attempts: "attempts",
        Retries: "retries",
        "Sent at": "sentAt",
        Message: "body",
      },
    }),
    retry: {
      summary: "Sends a dead letter to its queue again; all, for those that wait",
      parameters: ["letter"],
      run: retry,
    },
    drop: act({
      summary: "Deletes a dead letter",
      parameters: ["letter"],
      method: "DELETE",
      path: PATH,
      scope: SCOPE,
      loses: (call) => ({
        name: call.parameter("letter"),
        loss: "The message of the dead letter is lost.",
      }),
      says: (call) => `The dead letter ${call.parameter("letter")} is gone.`,
    }),
  },
};

async function retry(call: Call): Promise<Outcome> {
  const api = await call.connect([SCOPE]);
  const wanted = call.parameter("letter");
  const ids = wanted === "all" ? await waitingIds(api) : [wanted];
  const sent: unknown[] = [];
  for (const id of ids) {
    const letter = await retryOne(api, id, wanted === "all");
    if (letter !== undefined) sent.push(letter);
  }
  return {
    data: sent,
    lines:
      sent.length === 0
        ? ["No dead letter waits."]
        : columns(sent.map((letter) => cellsOf(letter, COLUMNS))),
  };
}

/** Sends a letter again. Returns undefined for one of many that somebody else has sent or dropped meanwhile. */
async function retryOne(api: Api, id: string, isOneOfMany: boolean): Promise<unknown> {
  const path = pathOf(`${PATH}/retry`, { parameter: () => id });
  try {
    return (await api.call({ method: "POST", path, answer: Data })).data;
  } catch (error) {
    const isGone = error instanceof RefusedCall && GONE.has(error.status);
    if (isOneOfMany && isGone) return undefined;
    throw error;
  }
}

const Letter = z.object({ id: z.int() });

/** The ids of all letters that wait. They are read before the first one is sent, because sending changes the list. */
async function waitingIds(api: Api): Promise<string[]> {
  const ids: string[] = [];
  const reading = { path: LIST, query: { state: "waiting" }, pageSize: PAGE_SIZE };
  for await (const item of readItems(api, reading)) ids.push(String(Letter.parse(item).id));
  return ids;
}
