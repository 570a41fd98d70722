import { OUTCOMES, PENDING, type StoredStatus, statusNumber } from "./lane-tables.ts";
import type { AttemptOutcome } from "#modules/webhooks/core/delivery.ts";
import { stringifyJson } from "#platform/json.ts";
import { jsonColumns } from "#platform/sql/json-columns.ts";
import { chunksOf, type Sql } from "#platform/sql/sql.ts";

/** The result of one turn of a delivery. */
export interface DeliveryResult {
  readonly seq: number;
  readonly status: StoredStatus;
  /** When the next attempt is due, by the lane's clock; only for a pending delivery. */
  readonly dueMs?: number | undefined;
  /** Sum of the waits that were planned in this generation, in milliseconds. */
  readonly waitedMs: number;
  /** The attempt; absent if no call was made. */
  readonly attempt?: AttemptResult;
  /** The reason why no call was made. */
  readonly error?: string;
}

export interface AttemptResult {
  /** Whether the delivery had no attempt before, in any generation. */
  readonly isFirst: boolean;
  readonly startedMs: number;
  readonly endpoint: string;
  readonly outcome: AttemptOutcome;
  readonly statusCode: number;
  readonly error?: string;
  readonly responseExcerpt?: string;
  readonly tookMs: number;
}

interface SettleOptions {
  /** The time of the change, in milliseconds since the epoch. */
  readonly wallMs: number;
  /** Returns the number of an endpoint's URL. */
  readonly nameId: (name: string) => number;
}

/**
 * Stores the results of turns, one for each delivery. The newest attempt so far moves to the table `attempt`. A delivery that has ended meanwhile
 * stays as it is, and its result is dropped. The caller runs all statements in one transaction.
 */
export function storeDeliveryResults(
  sql: Sql,
  results: readonly DeliveryResult[],
  { wallMs, nameId }: SettleOptions,
): void {
  const attemptedBefore: number[] = [];
  const excerpts: string[] = [];
  const plain = new Map<string, PlainResult[]>();
  const others: DeliveryResult[] = [];
  for (const result of results) {
    const { seq, attempt } = result;
    if (attempt?.isFirst === false) attemptedBefore.push(seq);
    if (attempt?.responseExcerpt !== undefined)
      excerpts.push(
        EXCERPT.rowText({ seq, text: attempt.responseExcerpt, startedMs: attempt.startedMs }),
      );
    if (!isPlain(result)) {
      others.push(result);
      continue;
    }
    const kind = kindOf(result.attempt);
    const alike = plain.get(kind);
    if (alike === undefined) plain.set(kind, [result]);
    else alike.push(result);
  }
  keepAttempts(sql, attemptedBefore);
  for (const alike of plain.values()) settlePlain(sql, alike, { wallMs, nameId });
  for (const result of others) sql.all(SETTLE, wallMs, ...settledColumns(result, nameId));
  for (const chunk of chunksOf(excerpts)) sql.all(KEEP_EXCERPTS, `[${chunk.join(",")}]`);
}

/** A result that most deliveries have: success without an earlier wait. */
type PlainResult = DeliveryResult & { readonly attempt: AttemptResult };

const isPlain = (result: DeliveryResult): result is PlainResult =>
  result.status === "succeeded" &&
  result.waitedMs === 0 &&
  result.attempt?.error === undefined &&
  result.attempt !== undefined;

/** The key of plain results that one statement stores together. */
const kindOf = ({ statusCode, endpoint }: AttemptResult): string => `${statusCode} ${endpoint}`;

/** Stores many results that differ only in their times by one statement, which takes a third of the time of a statement for each. */
function settlePlain(
  sql: Sql,
  results: readonly PlainResult[],
  { wallMs, nameId }: SettleOptions,
): void {
  const [first] = results;
  if (first === undefined) return;
  const { endpoint, statusCode } = first.attempt;
  const rows = results.map(({ seq, attempt: { startedMs, tookMs } }) =>
    PLAIN.rowText({ seq, startedMs, tookMs }),
  );
  sql.all(SETTLE_PLAIN, wallMs, `[${rows.join(",")}]`, nameId(endpoint), statusCode);
}

/** Copies the newest attempts of pending deliveries to the table `attempt`, before they are overwritten. */
function keepAttempts(sql: Sql, seqs: readonly number[]): void {
  if (seqs.length === 0) return;
  sql.all(
    `INSERT OR IGNORE INTO attempt (seq, generation, number, at_ms, endpoint, outcome, code, took_ms, error)
     SELECT seq, last_generation, last_number, last_ms, last_endpoint, last_outcome, last_code, last_took_ms, last_error
     FROM delivery WHERE seq IN (SELECT value FROM json_each(?)) AND status = ${PENDING} AND last_number IS NOT NULL`,
    stringifyJson(seqs),
  );
}

/** The parameters of `SETTLE` behind the time. */
function settledColumns(
  { seq, status, dueMs, waitedMs, attempt, error }: DeliveryResult,
  nameId: (name: string) => number,
) {
  return [
    statusNumber(status),
    seq,
    dueMs ?? null,
    waitedMs,
    attempt === undefined ? 0 : 1,
    attempt?.startedMs ?? null,
    attempt === undefined ? null : nameId(attempt.endpoint),
    attempt === undefined ? null : OUTCOMES.indexOf(attempt.outcome),
    attempt?.statusCode ?? null,
    attempt?.tookMs ?? null,
    attempt?.error ?? error ?? null,
  ];
}

const EXCERPT = jsonColumns("seq", "text", "startedMs");

/** Stores excerpts for the attempts that were just stored, which are the newest of their deliveries. The time of an attempt tells that it was not dropped. */
const KEEP_EXCERPTS = `
  INSERT OR IGNORE INTO excerpt (seq, generation, number, text)
  SELECT seq, last_generation, last_number, ${EXCERPT.items.text}
  FROM json_each(?) JOIN delivery
    ON seq = ${EXCERPT.items.seq} AND last_ms = ${EXCERPT.items.startedMs}
  WHERE last_number IS NOT NULL`;

const PLAIN = jsonColumns("seq", "startedMs", "tookMs");

/** Has the effect of `SETTLE` for many plain results. */
const SETTLE_PLAIN = `
  UPDATE delivery SET
    status = ${statusNumber("succeeded")},
    updated_ms = ?1,
    due_ms = NULL,
    waited_ms = 0,
    attempts = attempts + 1,
    cycle_ms = coalesce(cycle_ms, result.started_ms),
    last_number = attempts + 1,
    last_generation = generation,
    last_ms = result.started_ms,
    last_endpoint = ?3,
    last_outcome = ${OUTCOMES.indexOf("succeeded")},
    last_code = ?4,
    last_took_ms = result.took_ms,
    last_error = NULL
  FROM (
    SELECT ${PLAIN.items.seq} AS seq, ${PLAIN.items.startedMs} AS started_ms, ${PLAIN.items.tookMs} AS took_ms
    FROM json_each(?2)
  ) AS result
  WHERE delivery.seq = result.seq AND delivery.status = ${PENDING}`;

/** Stores one result. If no call was made, the columns of the last attempt keep their values, except the error. */
const SETTLE = `
  UPDATE delivery SET
    status = ?2,
    updated_ms = ?1,
    due_ms = ?4,
    waited_ms = ?5,
    attempts = attempts + ?6,
    cycle_ms = coalesce(cycle_ms, ?7),
    last_number = CASE WHEN ?6 THEN attempts + 1 ELSE last_number END,
    last_generation = CASE WHEN ?6 THEN generation ELSE last_generation END,
    last_ms = coalesce(?7, last_ms),
    last_endpoint = coalesce(?8, last_endpoint),
    last_outcome = coalesce(?9, last_outcome),
    last_code = coalesce(?10, last_code),
    last_took_ms = coalesce(?11, last_took_ms),
    last_error = CASE WHEN ?6 THEN ?12 ELSE coalesce(?12, last_error) END
  WHERE seq = ?3 AND status = ${PENDING}`;
