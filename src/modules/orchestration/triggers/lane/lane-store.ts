import type { LaneEvent } from "#modules/orchestration/triggers/lane-event.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { jsonColumns } from "#platform/sql/json-columns.ts";
import type { Sql } from "#platform/sql/sql.ts";

export interface WaitingEvent extends LaneEvent {
  readonly seq: number;
}

export interface TriggerFigures {
  /** The number of events that wait for the filter, and since when the first of them waits, in milliseconds since the epoch. */
  readonly waiting: number;
  readonly waitingSinceMs: number | undefined;
  /** How often the filter was evaluated, with how many steps of the expression language, and how often it let an event through. */
  readonly evaluations: number;
  readonly steps: number;
  readonly fired: number;
  readonly failures: number;
  /** The number of events that the lane has refused because too many waited, and that D1 keeps. */
  readonly refused: number;
  readonly lastError:
    | { readonly message: string; readonly eventId: string; readonly atMs: number }
    | undefined;
}

export interface Evaluation {
  readonly seq: number;
  readonly eventId: string;
  readonly trigger: number;
  readonly steps: number;
  readonly kind: "fires" | "passes" | "unknown" | "fails" | "gone";
  readonly error?: string;
}

/** Longest error that is stored, in characters. */
const ERROR_LENGTH_MAX = 500;

interface TriggerRow {
  readonly waiting: number;
  readonly evaluations: number;
  readonly steps: number;
  readonly fired: number;
  readonly failures: number;
  readonly refused: number;
  readonly last_error: string | null;
  readonly last_error_event: string | null;
  readonly last_error_ms: number | null;
}

/** The tables of one lane. */
export class TriggerLaneStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  count(): number {
    const [row] = this.#sql.all<{ count: number }>("SELECT count(*) AS count FROM work");
    return row?.count ?? 0;
  }

  /** Adds events. An event that waits already is left out. */
  add(events: readonly LaneEvent[], nowMs: number): void {
    this.#sql.transaction(() => {
      const fresh: LaneEvent[] = [];
      for (const event of events) {
        const { id, text, triggers } = event;
        const added = this.#sql.all(
          `INSERT INTO work (event_id, at_ms, triggers, event) VALUES (?, ?, ?, ?)
           ON CONFLICT DO NOTHING RETURNING seq`,
          id,
          nowMs,
          stringifyJson(triggers),
          text,
        );
        if (added.length > 0) fresh.push(event);
      }
      this.#countEach("waiting", fresh);
    });
  }

  /** The ids of the events that wait, in their order. */
  waitingIds(): string[] {
    return this.#sql
      .all<{ id: string }>("SELECT event_id AS id FROM work ORDER BY seq")
      .map(({ id }) => id);
  }

  /** When an event that waits has happened, as a text of `Timestamp`. */
  dateOf(id: string): string | undefined {
    const [row] = this.#sql.all<{ date: string }>(
      "SELECT event ->> 'date' AS date FROM work WHERE event_id = ?",
      id,
    );
    return row?.date;
  }

  /** Forgets events that wait, and counts anew how many wait for each trigger. */
  forget(ids: readonly string[]): void {
    this.#sql.all(
      "DELETE FROM work WHERE event_id IN (SELECT value FROM json_each(?))",
      stringifyJson(ids),
    );
    this.#sql.all(
      `UPDATE trigger SET waiting = (
         SELECT count(*) FROM work, json_each(work.triggers) AS each WHERE each.value = trigger.key)`,
    );
  }

  /** Counts events that the lane has refused. */
  refuse(events: readonly LaneEvent[]): void {
    this.#countEach("refused", events);
  }

  /** The events that have waited longest. */
  first(limit: number): WaitingEvent[] {
    const rows = this.#sql.all<{ seq: number; event_id: string; triggers: string; event: string }>(
      "SELECT seq, event_id, triggers, event FROM work ORDER BY seq LIMIT ? + 0",
      limit,
    );
    return rows.map(({ seq, event_id: id, triggers, event: text }) => ({
      seq,
      id,
      text,
      triggers: parseJson(triggers) as number[], // `add` has written them
    }));
  }

  /** Stores the results of evaluations, and the budget after them. An event goes on waiting for its other filters. */
  settle(
    events: readonly WaitingEvent[],
    evaluations: readonly Evaluation[],
    budget: { readonly steps: number; readonly atMs: number },
  ): void {
    const done = Map.groupBy(evaluations, ({ seq }) => seq);
    this.#sql.transaction(() => {
      for (const { seq, triggers } of events) {
        const ended = new Set(done.get(seq)?.map(({ trigger }) => trigger));
        const left = triggers.filter((trigger) => !ended.has(trigger));
        if (left.length === triggers.length) continue;
        if (left.length === 0) this.#sql.all("DELETE FROM work WHERE seq = ?", seq);
        else this.#sql.all("UPDATE work SET triggers = ? WHERE seq = ?", stringifyJson(left), seq);
      }
      this.#noteAll(evaluations, budget.atMs);
      this.setBudget(budget);
    });
  }

  setBudget({ steps, atMs }: { readonly steps: number; readonly atMs: number }): void {
    this.#sql.all(
      "INSERT OR REPLACE INTO budget (one, steps, at_ms) VALUES (1, ?, ?)",
      steps,
      atMs,
    );
  }

  /** The steps that were left in the budget, and when; undefined before the first evaluation. */
  budget(): { readonly steps: number; readonly atMs: number } | undefined {
    const [row] = this.#sql.all<{ steps: number; at_ms: number }>(
      "SELECT steps, at_ms FROM budget",
    );
    return row === undefined ? undefined : { steps: row.steps, atMs: row.at_ms };
  }

  figures(trigger: number): TriggerFigures {
    const [row] = this.#sql.all<TriggerRow & Record<string, never>>(
      "SELECT * FROM trigger WHERE key = ?",
      trigger,
    );
    if (row === undefined) return NOTHING;
    const { waiting, evaluations, steps, fired, failures, refused } = row;
    const error = row.last_error;
    return {
      waiting,
      waitingSinceMs: waiting === 0 ? undefined : this.#waitingSince(trigger),
      evaluations,
      steps,
      fired,
      failures,
      refused,
      lastError:
        error === null
          ? undefined
          : { message: error, eventId: row.last_error_event ?? "", atMs: row.last_error_ms ?? 0 },
    };
  }

  #waitingSince(trigger: number): number | undefined {
    const [row] = this.#sql.all<{ at_ms: number }>(
      `SELECT at_ms FROM work
       WHERE EXISTS (SELECT 1 FROM json_each(triggers) WHERE value = ?) ORDER BY seq LIMIT 1`,
      trigger,
    );
    return row?.at_ms;
  }

  /** Adds evaluations to the figures of their triggers, in one statement, because an event may have a hundred triggers. */
  #noteAll(evaluations: readonly Evaluation[], nowMs: number): void {
    const counts = new Map<number, CountedEvaluations>();
    for (const evaluation of evaluations) {
      const { trigger } = evaluation;
      counts.set(trigger, plus(counts.get(trigger) ?? NOT_EVALUATED, evaluation));
    }
    if (counts.size === 0) return;
    // Each trigger of a waiting event has a row, which `add` has inserted.
    this.#sql.all(
      `UPDATE trigger SET waiting = max(0, waiting - (each.value ->> 'ended')),
         evaluations = evaluations + (each.value ->> 'evaluations'), steps = trigger.steps + (each.value ->> 'steps'),
         fired = fired + (each.value ->> 'fired'), failures = failures + (each.value ->> 'failures')
       FROM json_each(?) AS each WHERE trigger.key = each.value ->> 'trigger'`,
      stringifyJson(Array.from(counts, ([trigger, counted]) => ({ trigger, ...counted }))),
    );
    this.#noteErrors(evaluations, nowMs);
  }

  /** Keeps the last error of each trigger. */
  #noteErrors(evaluations: readonly Evaluation[], nowMs: number): void {
    const errors = new Map(
      evaluations.flatMap(({ trigger, eventId, error }) =>
        error === undefined
          ? []
          : [
              [
                trigger,
                { trigger, eventId, error: error.slice(0, ERROR_LENGTH_MAX).toWellFormed() },
              ],
            ],
      ),
    );
    if (errors.size === 0) return;
    this.#sql.all(
      `UPDATE trigger SET last_error = each.value ->> 'error', last_error_event = each.value ->> 'eventId', last_error_ms = ?
       FROM json_each(?) AS each WHERE trigger.key = each.value ->> 'trigger'`,
      nowMs,
      stringifyJson([...errors.values()]),
    );
  }

  /** Counts events in the figures of their triggers, in one statement, because an event may have a hundred triggers. */
  #countEach(counter: Counter, events: readonly LaneEvent[]): void {
    const counts = new Map<number, number>();
    for (const trigger of events.flatMap(({ triggers }) => triggers)) {
      counts.set(trigger, (counts.get(trigger) ?? 0) + 1);
    }
    if (counts.size === 0) return;
    const columns = COUNTERS.map((name) => (name === counter ? COUNT.items.count : "0"));
    this.#sql.all(
      `INSERT INTO trigger (key, ${COUNTERS.join(", ")})
       SELECT ${COUNT.items.trigger}, ${columns.join(", ")} FROM json_each(?) WHERE true
       ON CONFLICT DO UPDATE SET ${counter} = trigger.${counter} + excluded.${counter}`,
      `[${Array.from(counts, ([trigger, count]) => COUNT.rowText({ trigger, count })).join()}]`,
    );
  }
}

const COUNT = jsonColumns("trigger", "count");
const COUNTERS = ["waiting", "evaluations", "steps", "fired", "failures", "refused"] as const;
type Counter = (typeof COUNTERS)[number];

/** The sums that evaluations add to the figures of one trigger. */
interface CountedEvaluations {
  readonly ended: number;
  readonly evaluations: number;
  readonly steps: number;
  readonly fired: number;
  readonly failures: number;
}

const NOT_EVALUATED: CountedEvaluations = {
  ended: 0,
  evaluations: 0,
  steps: 0,
  fired: 0,
  failures: 0,
};

/** Adds an evaluation to sums. Where the trigger is gone, the event ends without an evaluation. */
const plus = (counted: CountedEvaluations, { kind, steps }: Evaluation): CountedEvaluations =>
  kind === "gone"
    ? { ...counted, ended: counted.ended + 1 }
    : {
        ended: counted.ended + 1,
        evaluations: counted.evaluations + 1,
        steps: counted.steps + steps,
        fired: counted.fired + (kind === "fires" ? 1 : 0),
        failures: counted.failures + (kind === "fails" ? 1 : 0),
      };

const NOTHING: TriggerFigures = {
  waiting: 0,
  waitingSinceMs: undefined,
  evaluations: 0,
  steps: 0,
  fired: 0,
  failures: 0,
  refused: 0,
  lastError: undefined,
};
