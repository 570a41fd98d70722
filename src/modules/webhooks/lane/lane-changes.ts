import { PENDING, statusNumber, type StoredStatus } from "./lane-tables.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { first, type Sql } from "#platform/sql/sql.ts";

/** Result of a replay of many deliveries. */
export interface ReplayCounts {
  /** Deliveries that had failed and are pending again. */
  readonly replayed: number;
  /** Pending deliveries that are now attempted at once. */
  readonly expedited: number;
  /** Deliveries that are neither failed nor pending by now. */
  readonly skipped: number;
}

/** When deliveries are replayed: by the clock of the lane and by that of the machine; and since when those have failed that may be. */
interface ReplayTimes {
  readonly laneMs: number;
  readonly wallMs: number;
  readonly failedSinceMs: number;
}

/** Most deliveries that one turn ends or purges. Other calls of the object come between two turns. */
export const SLICE = 500;
/** Most deliveries that one statement ends where all have to end in one turn. Their numbers are one parameter, which takes two megabytes at most. */
export const ALL_SLICE = 100_000;
/** Most turns of ending or purging after one alarm, and the wait in milliseconds until the next alarm continues. */
export const SLICES_MAX = 40;
export const PAUSE_MS = 1000;

/** How long the answer to a replay is kept for a repetition, in milliseconds. */
export const REPLAY_MS = 24 * 3_600_000;

/** The numbers that the original of a copy may give to deliveries after its backup: more than an endpoint takes in a hundred years. */
const NUMBERS_OF_ORIGINAL = 2 ** 32;

const FAILED = statusNumber("failed");
const SUCCEEDED = statusNumber("succeeded");

/** Changes of many deliveries of a lane. Each call does a bounded part, so that other calls of the object come in between. */
export class LaneChanges {
  readonly #sql: Sql;
  /** The last number that the running purge has looked at, by status. */
  readonly #purgedTo = new Map<number, number>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Ends up to `limit` pending deliveries that are not under way. Returns how many it has ended; fewer than the limit means that none is left. */
  endPending(
    status: Exclude<StoredStatus, "pending" | "succeeded">,
    {
      head,
      except,
      error,
      wallMs,
      limit,
    }: {
      readonly head: number;
      readonly except: readonly number[];
      readonly error: string | null;
      readonly wallMs: number;
      readonly limit: number;
    },
  ): number {
    const under = stringifyJson(except);
    const from = Math.max(head, this.#storedHead());
    const waiting = this.#sql.all<{ seq: number }>(
      `SELECT seq FROM delivery INDEXED BY delivery_waiting
       WHERE status = ${PENDING} AND due_ms IS NOT NULL AND seq NOT IN (SELECT value FROM json_each(?)) LIMIT ? + 0`,
      under,
      limit,
    );
    const fresh = this.#sql.all<{ seq: number }>(
      `SELECT seq FROM delivery
       WHERE seq >= ? AND status = ${PENDING} AND due_ms IS NULL AND seq NOT IN (SELECT value FROM json_each(?))
       ORDER BY seq LIMIT ? + 0`,
      from,
      under,
      limit - waiting.length,
    );
    const ended = [...waiting, ...fresh].map(({ seq }) => seq);
    this.#sql.all(
      `UPDATE delivery SET status = ?, due_ms = NULL, updated_ms = ?, last_error = coalesce(?, last_error)
       WHERE seq IN (SELECT value FROM json_each(?))`,
      statusNumber(status),
      wallMs,
      error,
      stringifyJson(ended),
    );
    const last = fresh.at(-1);
    if (last !== undefined) this.#advanceHead(Math.min(last.seq + 1, ...except));
    return ended.length;
  }

  #storedHead(): number {
    return first(this.#sql.all<{ head: number }>("SELECT head FROM lane")).head;
  }

  /** Advances the head, so that the next turn does not look through the same deliveries again. */
  #advanceHead(head: number): void {
    this.#sql.all("UPDATE lane SET head = max(head, ?)", head);
  }

  /** The answer to a request that came before; undefined for a new request. */
  recall(request: string): ReplayCounts | undefined {
    const [row] = this.#sql.all<{ result: string }>(
      "SELECT result FROM replay WHERE request = ?",
      request,
    );
    return row === undefined ? undefined : (parseJson(row.result) as ReplayCounts); // `remember` has stored it
  }

  #remember(request: string, result: ReplayCounts, wallMs: number): void {
    this.#sql.all("DELETE FROM replay WHERE at_ms < ?", wallMs - REPLAY_MS);
    this.#sql.all(
      "INSERT INTO replay (request, at_ms, result) VALUES (?, ?, ?)",
      request,
      wallMs,
      stringifyJson(result),
    );
  }

  /** Replays deliveries, and remembers the answer to the request. */
  replayOnce(seqs: readonly number[], request: string, at: ReplayTimes): ReplayCounts {
    return this.#sql.transaction(() => {
      const counts = this.replay(seqs, at);
      this.#remember(request, counts, at.wallMs);
      return counts;
    });
  }

  /** Makes deliveries due at `laneMs`. Those that failed at `failedSinceMs` or later begin a new generation; pending ones are attempted earlier. */
  replay(seqs: readonly number[], { laneMs, wallMs, failedSinceMs }: ReplayTimes): ReplayCounts {
    const chosen = stringifyJson(seqs);
    const replayed = this.#sql.all(
      `UPDATE delivery SET status = ${PENDING}, generation = generation + 1, attempts = 0, waited_ms = 0, cycle_ms = NULL,
         due_ms = ?, updated_ms = ?
       WHERE seq IN (SELECT value FROM json_each(?)) AND status = ${FAILED} AND updated_ms >= ?
       RETURNING seq`,
      laneMs,
      wallMs,
      chosen,
      failedSinceMs,
    );
    const again = stringifyJson(replayed.map(({ seq }) => seq ?? 0));
    const expedited = this.#sql.all(
      `UPDATE delivery SET due_ms = CASE WHEN due_ms IS NULL THEN NULL ELSE ? END, updated_ms = ?
       WHERE seq IN (SELECT value FROM json_each(?)) AND seq NOT IN (SELECT value FROM json_each(?))
         AND status = ${PENDING} RETURNING seq`,
      laneMs,
      wallMs,
      chosen,
      again,
    );
    const skipped = seqs.length - replayed.length - expedited.length;
    return { replayed: replayed.length, expedited: expedited.length, skipped };
  }

  /** The uuids of the ledgers whose events the lane has received, by their numbers. */
  ledgers(): ReadonlyMap<number, string> {
    const rows = this.#sql.all<{ id: number; uuid: string }>("SELECT id, uuid FROM origin");
    return new Map(rows.map(({ id, uuid }) => [id, uuid]));
  }

  /**
   * Fits the deliveries of a backup to its ledgers, whose last entries are given by the numbers of their origins: the original has made further
   * entries, and the ledgers will give their ids to others, which have to be received and delivered. So the lane forgets what it knows of
   * them. Further deliveries of the original have numbers as well, by which endpoints recognise repetitions, and which are not used again.
   */
  fitTo(lastEntries: ReadonlyMap<number, number>): void {
    this.#sql.all(
      `UPDATE lane SET numbered_to = ? + max(numbered_to, coalesce((SELECT max(seq) FROM delivery), 0))`,
      NUMBERS_OF_ORIGINAL,
    );
    for (const [origin, last] of lastEntries) {
      const later = "SELECT seq FROM delivery WHERE origin = ? AND position > ?";
      for (const table of ["excerpt", "attempt", "ending", "delivery"]) {
        this.#sql.all(`DELETE FROM ${table} WHERE seq IN (${later})`, origin, last);
      }
      this.#sql.all("DELETE FROM received WHERE origin = ? AND first > ?", origin, last);
      this.#sql.all("UPDATE received SET last = ?2 WHERE origin = ?1 AND last > ?2", origin, last);
    }
  }

  /** Whether the retention of all deliveries is over. The newest delivery is never purged, so its date decides. */
  isOver(beforeMs: number): boolean {
    const rows = this.#sql.all<{ updated_ms: number }>(
      "SELECT updated_ms FROM delivery ORDER BY seq DESC LIMIT 2",
    );
    return rows.length < 2 && rows.every(({ updated_ms }) => updated_ms < beforeMs);
  }

  /**
   * Looks through up to `limit` deliveries of each final status, from where the last call ended, and removes those that ended
   * before a time, with their attempts. The newest delivery stays, because the next one is numbered behind it. Returns how many
   * deliveries it has looked at; 0 means that the purge is complete, and the next call begins a new one.
   */
  purge({
    succeededBeforeMs,
    othersBeforeMs,
    limit,
  }: {
    readonly succeededBeforeMs: number;
    readonly othersBeforeMs: number;
    readonly limit: number;
  }): number {
    const lookedAt = [
      this.#purgeStatus(SUCCEEDED, succeededBeforeMs, limit),
      this.#purgeStatus(FAILED, othersBeforeMs, limit),
      this.#purgeStatus(statusNumber("cancelled"), othersBeforeMs, limit),
    ].reduce((sum, count) => sum + count);
    if (lookedAt === 0) this.#purgedTo.clear();
    return lookedAt;
  }

  #purgeStatus(status: number, beforeMs: number, limit: number): number {
    const rows = this.#sql.all<{ seq: number; isOld: number }>(
      `SELECT seq, updated_ms < ? AND seq < (SELECT max(seq) FROM delivery) AS isOld FROM delivery
       WHERE status > 0 AND status = ? AND seq > ? ORDER BY seq LIMIT ? + 0`,
      beforeMs,
      status,
      this.#purgedTo.get(status) ?? 0,
      limit,
    );
    const last = rows.at(-1);
    if (last === undefined) return 0;
    this.#purgedTo.set(status, last.seq);
    const old = stringifyJson(rows.flatMap(({ seq, isOld }) => (isOld === 1 ? [seq] : [])));
    for (const table of ["excerpt", "attempt", "delivery"]) {
      this.#sql.all(`DELETE FROM ${table} WHERE seq IN (SELECT value FROM json_each(?))`, old);
    }
    return rows.length;
  }
}
