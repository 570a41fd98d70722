import { z } from "zod";
import { pathOf as pathWith } from "#scripts/florin/api/paths.ts";
import { columns } from "#scripts/florin/columns.ts";
import { type Call, type Noun, type Outcome, UsageError, YES } from "#scripts/florin/command.ts";
import { printable } from "#scripts/florin/printable.ts";
import { type Api, RefusedCall } from "#scripts/lib/api.ts";

const Letter = z.object({
  id: z.int(),
  state: z.string(),
  queue: z.string(),
  ledger: z.string().optional(),
  body: z.unknown(),
  error: z.string().optional(),
  attempts: z.int().optional(),
  arrivals: z.int(),
  retries: z.int(),
  firstSeen: z.string(),
  lastSeen: z.string(),
  sentAt: z.string().optional(),
});
type Letter = z.output<typeof Letter>;
const Page = z.object({
  cursor: z.object({ data: z.array(Letter), hasMore: z.boolean(), next: z.string() }),
});

const PATH = "/api/florin/v1/dead-letters";
const SCOPES = ["florin:operate"];
/** The statuses for a letter that no longer waits: it was dropped, or is being sent. */
const GONE: ReadonlySet<number> = new Set([404, 409]);
const STATES = ["waiting", "retrying", "retried"];
const PAGE_SIZE = 100;

export const noun: Noun = {
  summary: "Messages that the queue of events has given up",
  verbs: {
    list: {
      summary: "Lists dead letters, newest first, with the reasons why they were refused",
      options: {
        state: { kind: "text", meaning: `only those in a state: ${STATES.join(", ")}` },
        ledger: { kind: "text", meaning: "only those about this ledger" },
      },
      run: list,
    },
    show: { summary: "Shows a dead letter", parameters: ["letter"], run: show },
    retry: {
      summary: "Sends a dead letter to its queue again; all, for those that wait",
      parameters: ["letter"],
      run: retry,
    },
    drop: { summary: "Deletes a dead letter", parameters: ["letter"], options: YES, run: drop },
  },
};

async function list(call: Call): Promise<Outcome> {
  const api = await call.connect(SCOPES);
  const state = call.text("state");
  if (state !== undefined && !STATES.includes(state)) {
    throw new UsageError(`--state takes one of ${STATES.join(", ")}.`);
  }
  const ledger = call.text("ledger");
  const data = await lettersOf(api, {
    ...(state === undefined ? {} : { state }),
    ...(ledger === undefined ? {} : { ledger }),
  });
  return { data, lines: data.length === 0 ? ["There are no dead letters."] : rowsOf(data) };
}

async function show(call: Call): Promise<Outcome> {
  const api = await call.connect(SCOPES);
  const { data } = await api.call({
    method: "GET",
    path: pathOf(call.parameter("letter")),
    answer: z.object({ data: Letter }),
  });
  return { data, lines: [...rowsOf([data]), `  ${printable(JSON.stringify(data.body))}`] };
}

async function retry(call: Call): Promise<Outcome> {
  const api = await call.connect(SCOPES);
  const wanted = call.parameter("letter");
  const ids =
    wanted === "all" ? (await lettersOf(api, { state: "waiting" })).map(({ id }) => id) : [wanted];
  const sent: Letter[] = [];
  for (const id of ids) {
    const letter = await retryOne(api, id, wanted === "all");
    if (letter !== undefined) sent.push(letter);
  }
  return {
    data: sent,
    lines: sent.length === 0 ? ["No dead letter waits."] : rowsOf(sent),
  };
}

/** Sends a letter again. Returns undefined for one of many that somebody else has sent or dropped meanwhile. */
async function retryOne(
  api: Api,
  id: string | number,
  isOneOfMany: boolean,
): Promise<Letter | undefined> {
  try {
    const answer = z.object({ data: Letter });
    return (await api.call({ method: "POST", path: `${pathOf(id)}/retry`, answer })).data;
  } catch (error) {
    const isGone = error instanceof RefusedCall && GONE.has(error.status);
    if (isOneOfMany && isGone) return undefined;
    throw error;
  }
}

async function drop(call: Call): Promise<Outcome> {
  const api = await call.connect(SCOPES);
  const letter = call.parameter("letter");
  await call.confirm(letter, "The message of the dead letter is lost.");
  await api.call({ method: "DELETE", path: pathOf(letter), answer: z.undefined() });
  return { data: {}, lines: [`The dead letter ${letter} is gone.`] };
}

const pathOf = (letter: string | number): string =>
  pathWith(`${PATH}/{letter}`, { parameter: () => String(letter) });

/** All letters that a query finds. */
async function lettersOf(api: Api, query: Readonly<Record<string, string>>): Promise<Letter[]> {
  const letters: Letter[] = [];
  let parameters = new URLSearchParams({ ...query, pageSize: String(PAGE_SIZE) });
  for (;;) {
    const { cursor } = await api.call({
      method: "GET",
      path: `${PATH}?${parameters.toString()}`,
      answer: Page,
    });
    letters.push(...cursor.data);
    if (!cursor.hasMore) return letters;
    parameters = new URLSearchParams({ cursor: cursor.next });
  }
}

const rowsOf = (letters: readonly Letter[]): string[] =>
  columns(
    letters.map(({ id, state, ledger = "", lastSeen, arrivals, error = "no reason is known" }) => [
      String(id),
      state,
      ledger,
      `${arrivals} since`,
      lastSeen,
      error,
    ]),
  );
