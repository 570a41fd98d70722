import { z } from "zod";
import type { IncreaseClient } from "./client.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";
import { TimestampInput } from "#platform/validation.ts";

/** An item of a list, with what tells whether it is known. */
interface Listed<Item> {
  readonly id: string;
  readonly time: Timestamp;
  /** Undefined for an object that is left out. */
  readonly item: Item | undefined;
}

export interface CursorList<Item> {
  readonly client: IncreaseClient;
  readonly path: string;
  readonly read: (value: unknown) => Listed<Item>;
}

/**
 * How far a list was read. A pass goes from the newest object to the oldest one that is asked for, page by page. When it has ended, the next
 * one asks for what was made since the newest object of it. That time is inclusive: what was made at the same time comes again, and what is
 * known of it is left out.
 */
const State = z.object({
  /** From when on objects are asked for; absent before the first pass has ended. */
  since: TimestampInput.optional(),
  /** The objects of that time that are known. */
  known: z.array(z.string()).default([]),
  /** Where the next page of the pass begins; absent for the first one. */
  cursor: z.string().optional(),
  /** The time of the newest object of the pass, and the objects of that time. */
  latest: TimestampInput.optional(),
  latestKnown: z.array(z.string()).default([]),
});
type State = z.output<typeof State>;

/** Beyond so many objects of one time, further ones are not remembered: they come again, which does no harm. */
const KNOWN_MAX = 1000;

/** One page of a list. */
export async function fetchCursorList<Item>(
  { state: stored, pageSize }: Pick<FetchRequest, "state" | "pageSize">,
  { client, path, read }: CursorList<Item>,
): Promise<FetchPage<Item>> {
  const state = State.parse(stored ?? {});
  const { since, known, cursor } = state;
  const { values, nextCursor } = await client.list(path, {
    limit: pageSize,
    cursor,
    "created_at.on_or_after": since === undefined ? undefined : formatTimestamp(since),
  });
  const listed = values.map(read);
  const seen = withItems(state, listed);
  return {
    items: listed.flatMap(({ id, item }) => (item === undefined || known.includes(id) ? [] : item)),
    state: nextCursor === undefined ? endPass(seen) : { ...seen, cursor: nextCursor },
    // A page that names itself as the next one is asked for again by the next run.
    hasMore: nextCursor !== undefined && nextCursor !== cursor,
  };
}

function withItems(state: State, listed: readonly Listed<unknown>[]): State {
  let { latest, latestKnown } = state;
  for (const { id, time } of listed) {
    if (latest === undefined || time > latest) [latest, latestKnown] = [time, []];
    const isNoted = time === latest && latestKnown.length < KNOWN_MAX && !latestKnown.includes(id);
    if (isNoted) latestKnown = [...latestKnown, id];
  }
  return { ...state, latest, latestKnown };
}

/** What the next pass begins with. */
function endPass({ since, known, latest, latestKnown }: State): State {
  const isLater = latest !== undefined && (since === undefined || latest >= since);
  return isLater
    ? { since: latest, known: latestKnown, latestKnown: [] }
    : { since, known, latestKnown: [] };
}
