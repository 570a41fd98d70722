import { OUTCOMES, PENDING, type StoredStatus, statusNumber } from "./lane-tables.ts";
import type { AttemptOutcome } from "#modules/webhooks/core/delivery.ts";
import { stringifyJson } from "#platform/json.ts";
import { chunksOf, type Sql } from "#platform/sql/sql.ts";

/** How the turn of a delivery ended. */
export interface DeliveryResult {
  readonly seq: number;
  readonly status: StoredStatus;
  /** When it is attempted next, by the clock of the lane; only while it is pending. */
  readonly dueMs?: number | undefined;
  /** The waits that were planned so far in this generation. */
  readonly waitedMs: number;
  /** Absent if no call was made. */
  readonly attempt?: AttemptResult;
  /** Why no call was made. */
  readonly error?: string;
}

export interface AttemptResult {
  /** Whether no attempt of the delivery came before, in any generation. */
  readonly isFirst: boolean;
  readonly startedMs: number;
  readonly endpoint: string;
  readonly outcome: AttemptOutcome;
  readonly statusCode: number;
  readonly error?: string;
  readonly responseExcerpt?: string;
  readonly tookMs: number;
  readonly atMs: number;
}

interface SettleOptions {
  /** The time of the change, in milliseconds since the epoch. */
  readonly wallMs: number;
  /** The number of an endpoint. */
  readonly nameId: (name: string) => number;
}

/** Stores how turns ended. A delivery that had attempts before keeps them in `attempt`; one that has ended stays as it is. */
export function settleDeliveries(
  sql: Sql,
  results: readonly DeliveryResult[],
  { wallMs, nameId }: SettleOptions,
): void {
  const attempts = results.flatMap(({ seq, attempt }) =>
    attempt === undefined ? [] : [{ seq, attempt }],
  );
  const rows = results.map((result) => stringifyJson(toRow(result, nameId)));
  keepAttempts(
    sql,
    attempts.flatMap(({ seq, attempt }) => (attempt.isFirst ? [] : [seq])),
  );
  for (const chunk of chunksOf(rows)) {
    sql.all(SETTLE, wallMs, `[${chunk.join(",")}]`);
  }
  const excerpts = attempts.flatMap(({ seq, attempt: { responseExcerpt } }) =>
    responseExcerpt === undefined ? [] : [stringifyJson([seq, responseExcerpt])],
  );
  for (const chunk of chunksOf(excerpts)) sql.all(KEEP_EXCERPTS, `[${chunk.join(",")}]`);
}

/** Moves the last attempts of deliveries to the table of attempts, where they stay. */
function keepAttempts(sql: Sql, seqs: readonly number[]): void {
  if (seqs.length === 0) return;
  sql.all(
    `INSERT OR IGNORE INTO attempt (seq, generation, number, at_ms, endpoint, outcome, code, took_ms, error)
     SELECT seq, last_generation, last_number, last_ms, last_endpoint, last_outcome, last_code, last_took_ms, last_error
     FROM delivery WHERE seq IN (SELECT value FROM json_each(?)) AND last_number IS NOT NULL`,
    stringifyJson(seqs),
  );
}

function toRow(
  { seq, status, dueMs, waitedMs, attempt, error }: DeliveryResult,
  nameId: (name: string) => number,
) {
  return [
    seq,
    statusNumber(status),
    dueMs ?? null,
    waitedMs,
    attempt === undefined ? 0 : 1,
    attempt?.startedMs ?? null,
    attempt?.atMs ?? null,
    attempt === undefined ? null : nameId(attempt.endpoint),
    attempt === undefined ? null : OUTCOMES.indexOf(attempt.outcome),
    attempt?.statusCode ?? null,
    attempt?.tookMs ?? null,
    attempt?.error ?? error ?? null,
  ];
}

/** The attempt that was just stored is the last one of its delivery. */
const KEEP_EXCERPTS = `
  INSERT OR IGNORE INTO excerpt (seq, generation, number, text)
  SELECT seq, last_generation, last_number, value ->> 1
  FROM json_each(?) JOIN delivery ON seq = value ->> 0 WHERE last_number IS NOT NULL`;

/** What was stored of the last attempt stays where no call was made, apart from the error. */
const SETTLE = `
  UPDATE delivery SET
    status = r.status,
    updated_ms = r.wall,
    due_ms = r.due,
    waited_ms = r.waited,
    attempts = attempts + r.made,
    cycle_ms = coalesce(cycle_ms, r.started),
    last_number = CASE WHEN r.made THEN attempts + 1 ELSE last_number END,
    last_generation = CASE WHEN r.made THEN generation ELSE last_generation END,
    last_ms = coalesce(r.at, last_ms),
    last_endpoint = coalesce(r.endpoint, last_endpoint),
    last_outcome = coalesce(r.outcome, last_outcome),
    last_code = coalesce(r.code, last_code),
    last_took_ms = coalesce(r.took, last_took_ms),
    last_error = CASE WHEN r.made THEN r.error ELSE coalesce(r.error, last_error) END
  FROM (
    SELECT ? AS wall, value ->> 0 AS id, value ->> 1 AS status, value ->> 2 AS due, value ->> 3 AS waited, value ->> 4 AS made,
      value ->> 5 AS started, value ->> 6 AS at, value ->> 7 AS endpoint, value ->> 8 AS outcome,
      value ->> 9 AS code, value ->> 10 AS took, value ->> 11 AS error
    FROM json_each(?)
  ) AS r
  WHERE seq = r.id AND delivery.status = ${PENDING}`;
