import { type CronTimes, parseCron } from "./cron.ts";
import { invalid } from "./fields.ts";
import { parseDurationMs } from "#platform/duration.ts";

/** When a rule runs besides requests. Durations are texts in Go's notation. */
export type RuleSchedule =
  | { readonly kind: "on_demand"; readonly safetyMargin?: string }
  | CronRuns
  | { readonly kind: "events"; readonly types: readonly string[]; readonly debounce: string };

interface CronRuns {
  readonly kind: "cron";
  readonly expr: string;
  readonly tz?: string;
  readonly safetyMargin?: string;
}

/** The time before now as of which a run without a margin of its own reads, in milliseconds. */
export const MARGIN_MS = 30_000;
/** Longest margin, in milliseconds. */
const MARGIN_MS_MAX = 31 * 24 * 3_600_000;
const DEBOUNCE = "30s";
/** Shortest and longest time that events are collected, in milliseconds. An evaluation is stored for each such time under steady events. */
const DEBOUNCE_MS_MIN = 30_000;
const DEBOUNCE_MS_MAX = 24 * 3_600_000;
/** Most types of events of a schedule. */
const TYPES_MAX = 50;
const EXPRESSION_LENGTH_MAX = 255;
const ZONE = "UTC";
const EVENT_NAME = /^[a-z0-9_-]{1,63}\.[a-z0-9_]{1,127}$/;
/** The module whose own events start no rule, so that no rule starts itself. */
const OWN_APP = "reconciliation";

/** A schedule as a request has it: empty texts stand for absent ones. */
export interface ScheduleFields {
  readonly kind: string;
  readonly expr: string;
  readonly tz: string;
  readonly safetyMargin: string;
  readonly types: readonly string[];
  readonly debounce: string;
}

/**
 * A schedule from the fields of a request. `kinds` are those that the request may have. Throws `VALIDATION`, also for a field that the kind
 * does not have.
 */
export function toSchedule(
  fields: ScheduleFields,
  kinds: readonly RuleSchedule["kind"][] = ["on_demand", "cron"],
): RuleSchedule {
  const { kind, expr, tz, safetyMargin, types, debounce } = fields;
  if (!kinds.some((known) => known === kind)) {
    throw invalid(`schedule.kind is one of ${kinds.join(", ")}`);
  }
  if (safetyMargin !== "") assertMargin(safetyMargin, "schedule.safetyMargin");
  const margin = safetyMargin === "" ? {} : { safetyMargin };
  assertBelongs(kind === "cron", { expr, tz }, kind);
  assertBelongs(kind === "events", { types: types.join(), debounce }, kind);
  if (kind === "cron") {
    timesOf({ expr, tz });
    return { kind, expr, ...(tz === "" ? {} : { tz }), ...margin };
  }
  if (kind === "events") {
    // A run reads as of now, so that it sees what its events tell of.
    assertBelongs(false, { safetyMargin }, kind);
    return { kind, ...toEvents(types, debounce) };
  }
  return { kind: "on_demand", ...margin };
}

function assertBelongs(
  belongs: boolean,
  fields: Readonly<Record<string, string>>,
  kind: string,
): void {
  if (belongs) return;
  const extra = Object.entries(fields).find(([, value]) => value !== "");
  if (extra !== undefined)
    throw invalid(`schedule.${extra[0]} does not belong to the kind ${kind}`);
}

function toEvents(
  types: readonly string[],
  given: string,
): { readonly types: readonly string[]; readonly debounce: string } {
  const debounce = given === "" ? DEBOUNCE : given;
  const milliseconds = parseDurationMs(debounce);
  if (
    milliseconds === undefined ||
    milliseconds < DEBOUNCE_MS_MIN ||
    milliseconds > DEBOUNCE_MS_MAX
  ) {
    throw invalid("schedule.debounce is a duration from 30s to 24h");
  }
  if (types.length === 0) throw invalid("schedule.types has no type of events");
  if (types.length > TYPES_MAX) throw invalid(`schedule.types has more than ${TYPES_MAX} types`);
  for (const type of types) {
    if (!EVENT_NAME.test(type)) {
      throw invalid("schedule.types has names of events such as ledger.committed_transactions");
    }
    if (type.startsWith(`${OWN_APP}.`)) {
      throw invalid("schedule.types has no events of reconciliation: a rule would start itself");
    }
  }
  return { types: [...new Set(types)], debounce };
}

/** The times of a cron schedule. Throws `VALIDATION`. */
function timesOf({ expr, tz = "" }: { readonly expr: string; readonly tz?: string }): CronTimes {
  if (expr === "") throw invalid("missing schedule.expr");
  const zone = tz === "" ? ZONE : tz;
  if (!isZone(zone)) throw invalid("schedule.tz is not the name of a time zone");
  const times = expr.length > EXPRESSION_LENGTH_MAX ? undefined : parseCron(expr, zone);
  if (times !== undefined) return times;
  throw invalid(
    "schedule.expr has five cron fields, or is a descriptor such as @hourly or @every 90m, and comes due sometime",
  );
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false; // The only failure is that of an unknown zone.
  }
}

/** The next time of a schedule after a moment, both in milliseconds since the epoch; undefined for a schedule without times. */
export const nextTime = (schedule: RuleSchedule | undefined, afterMs: number): number | undefined =>
  schedule?.kind === "cron" ? timesOf(schedule).next(afterMs) : undefined;

/** Most times that `missedTimes` counts. */
export const MISSED_MAX = 1000;

/** The times of a cron schedule from a due one up to now: their number, at most `MISSED_MAX`, and the last one. */
export function missedTimes(
  schedule: CronRuns,
  { dueMs, nowMs }: { readonly dueMs: number; readonly nowMs: number },
): { readonly count: number; readonly lastMs: number } {
  const times = timesOf(schedule);
  let count = 1;
  for (let at = times.next(dueMs); at !== undefined && at <= nowMs; at = times.next(at)) {
    if (++count >= MISSED_MAX) break;
  }
  return { count, lastMs: Math.max(dueMs, times.last(nowMs) ?? dueMs) };
}

/** A margin in milliseconds. Throws `VALIDATION`, naming the field, for a text that is no duration from 0s to 31 days. */
export function assertMargin(text: string, name: string): number {
  const milliseconds = parseDurationMs(text);
  if (milliseconds !== undefined && milliseconds <= MARGIN_MS_MAX) return milliseconds;
  throw invalid(`${name} is a duration such as 30s, from 0s to 744h`);
}

/** The margin of the scheduled runs of a rule, in milliseconds. */
export function marginOf(schedule: RuleSchedule | undefined): number {
  if (schedule?.kind === "events") return 0;
  return schedule?.safetyMargin === undefined
    ? MARGIN_MS
    : assertMargin(schedule.safetyMargin, "schedule.safetyMargin");
}

/** How long events of a schedule are collected, in milliseconds. */
export const debounceOf = ({ debounce }: { readonly debounce: string }): number =>
  parseDurationMs(debounce) ?? DEBOUNCE_MS_MIN;
