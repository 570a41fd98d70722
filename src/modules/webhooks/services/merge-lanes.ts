import type { DeliveryQuery, DeliveryRecord } from "#modules/webhooks/core/lane.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** How many lanes are read at once, and how long one lane may take with all its parts, in milliseconds. Each call of an object has its own limit. */
const READS = { total: 24, perKey: 1, timeoutMs: 60_000 };
/** Most rows in the answers of all lanes that are read at once. */
const ROWS_MAX = 4800;

/** Lists the deliveries of one lane. */
export type ListLane = (configId: string, query: DeliveryQuery) => Promise<DeliveryRecord[]>;

/**
 * The first deliveries of several lanes, in the order of the query. Memory is bounded although a deployment has up to 500 lanes:
 * it holds the rows of the answer and one part of each lane that is being read. A lane is asked for one part at a time, only for
 * rows that may still be in the answer, and each part is merged at once. Throws if a lane fails.
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

/** The first rows, in the order of a query, of all rows that were added. */
class FirstRows {
  readonly #query: DeliveryQuery;
  #rows: DeliveryRecord[] = [];

  constructor(query: DeliveryQuery) {
    this.#query = query;
  }

  get rows(): DeliveryRecord[] {
    return this.#rows;
  }

  /** The query, narrowed to the dates of rows that may still be among the first. */
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

  /** Whether rows behind this row may be among the first. */
  isWanted(row: Position): boolean {
    return this.#border === undefined || this.#compare(row, this.#border) < 0;
  }

  /** The last row, once there are as many as the limit. */
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
