import type { DeliveryQuery, DeliveryRecord } from "#modules/webhooks/core/lane.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** How many lanes are read at once, and how long one of them may take, in milliseconds; each of its answers has its own limit. */
const READS = { total: 24, perKey: 1, timeoutMs: 60_000 };
/** Most rows that all lanes which are read at once may answer together. */
const ROWS_MAX = 4800;

/** Lists the deliveries of one lane. */
export type ListLane = (configId: string, query: DeliveryQuery) => Promise<DeliveryRecord[]>;

/**
 * The first deliveries of several lanes together, in the order of the query. A deployment has up to 500 lanes, so no more is held
 * than the rows of the answer and a part of what the lanes under way have: each is asked for a part at a time, only for what
 * still belongs to the answer, and its rows are merged as they come. Fails where a lane does.
 */
export async function mergeLanes(
  configIds: readonly string[],
  query: DeliveryQuery,
  listLane: ListLane,
): Promise<DeliveryRecord[]> {
  const merged = new FirstRows(query);
  const part = Math.min(
    query.limit,
    Math.floor(ROWS_MAX / Math.min(Math.max(configIds.length, 1), READS.total)),
  );
  const results = await settleAll(configIds, {
    limits: READS,
    keyOf: (configId) => configId,
    run: async (configId) => {
      let { after } = query;
      for (;;) {
        const rows = await listLane(configId, { ...merged.query, after, limit: part });
        merged.add(rows);
        const last = rows.at(-1);
        if (last === undefined || rows.length < part || !merged.isWanted(last)) return;
        after = { createdMs: last.createdMs, id: last.id };
      }
    },
  });
  const failed = results.find(({ error }) => error !== undefined);
  if (failed !== undefined) throw failed.error;
  return merged.rows;
}

/** The first rows of those that it got. */
class FirstRows {
  readonly #query: DeliveryQuery;
  #rows: DeliveryRecord[] = [];

  constructor(query: DeliveryQuery) {
    this.#query = query;
  }

  get rows(): DeliveryRecord[] {
    return this.#rows;
  }

  /** The query without the dates of rows that cannot be among the first ones any more. */
  get query(): DeliveryQuery {
    const { order, fromMs = -Infinity, toMs = Infinity } = this.#query;
    const border = this.#border?.createdMs;
    if (border === undefined) return this.#query;
    return order === "asc"
      ? { ...this.#query, toMs: Math.min(toMs, border) }
      : { ...this.#query, fromMs: Math.max(fromMs, border) };
  }

  add(rows: readonly DeliveryRecord[]): void {
    this.#rows = [...this.#rows, ...rows]
      .toSorted((a, b) => this.#compare(a, b))
      .slice(0, this.#query.limit);
  }

  /** Whether rows behind this one may be among the first ones. */
  isWanted(row: Position): boolean {
    return this.#border === undefined || this.#compare(row, this.#border) < 0;
  }

  /** The last of the rows, once there are enough. */
  get #border(): DeliveryRecord | undefined {
    return this.#rows[this.#query.limit - 1];
  }

  #compare(a: Position, b: Position): number {
    const sign = this.#query.order === "asc" ? 1 : -1;
    return sign * (a.createdMs - b.createdMs || compareIds(a.id, b.id));
  }
}

type Position = Pick<DeliveryRecord, "createdMs" | "id">;

function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
