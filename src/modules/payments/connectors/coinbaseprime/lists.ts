import { z } from "zod";
import type { CursorPage, CursorPlace } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import type { Timestamp } from "#platform/time.ts";
import { TimestampInput } from "#platform/validation.ts";

/** An item of a list, with what decides from when on the next pass asks for items. */
export interface Progressing<Item> {
  /** Undefined for a value that is left out. */
  readonly item: Item | undefined;
  readonly createdAt: Timestamp;
  /** Whether the item may still change. */
  readonly isOpen: boolean;
}

export interface ProgressingList<Item> {
  /** The lists of a pass, one after the other. Each gives its items by the time at which they were made. */
  readonly sources: readonly ((place: CursorPlace) => Promise<CursorPage>)[];
  readonly read: (value: unknown) => Progressing<Item>;
}

/**
 * The progress in lists whose items are found by their time of creation and change afterwards. A pass begins at the oldest item
 * that was still open in the pass before, so that no change is missed:
 *
 *     made at      1     2     3     4     5
 *     pass 1       done  open  done  open           the next pass begins at 2
 *     pass 2             done  done  open  done     the next pass begins at 4
 */
const State = z.object({
  from: TimestampInput.optional(),
  /** Which of the sources is read. */
  source: z.int().min(0).default(0),
  cursor: z.string().optional(),
  /** When the oldest open item of this pass was made. */
  open: TimestampInput.optional(),
  /** When the newest item of this pass was made. */
  latest: TimestampInput.optional(),
});

/** One page of the list. */
export async function fetchProgressingList<Item>(
  { state: stored, pageSize }: Pick<kit.FetchRequest, "state" | "pageSize">,
  { sources, read }: ProgressingList<Item>,
): Promise<kit.FetchPage<Item>> {
  const state = State.parse(stored ?? {});
  const { from, cursor, source } = state;
  const { values, next } = (await sources[source]?.({ from, cursor, pageSize })) ?? {
    values: [],
    next: undefined,
  };
  const { items: found, rejected, read: readIds } = kit.readEach(values, read);
  const times = found.map(({ createdAt }) => createdAt);
  const openTimes = found.flatMap(({ createdAt, isOpen }) => (isOpen ? [createdAt] : []));
  const latest = [...times, ...listOf(state.latest)].toSorted().at(-1);
  const open = [...openTimes, ...listOf(state.open)].toSorted().at(0);
  const pass = { from, latest, open };
  const page = {
    items: found.flatMap(({ item }) => (item === undefined ? [] : [item])),
    rejected,
    read: readIds,
  };
  // A page that names itself as the next page ends the list; the next pass reads the rest.
  if (next !== undefined && next !== cursor) {
    return { ...page, state: { ...pass, source, cursor: next }, hasMore: true };
  }
  if (source + 1 < sources.length) {
    return { ...page, state: { ...pass, source: source + 1 }, hasMore: true };
  }
  return { ...page, state: { from: open ?? latest ?? from }, hasMore: false };
}

const listOf = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);
