import type { RuleRow } from "./rule.ts";
import { PUBLISHED_TYPES, type PublishedType } from "#modules/reconciliation/core/alert.ts";
import { invalid } from "#modules/reconciliation/core/fields.ts";
import { nextTime, type RuleSchedule } from "#modules/reconciliation/core/schedule.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

/** Most labels of a rule, and their longest names and values, in characters. */
const LABELS_MAX = 50;
const LABEL_NAME_LENGTH_MAX = 100;
const LABEL_LENGTH_MAX = 255;

/** The value among several that a text is. Throws `VALIDATION`, naming the field. */
export function oneOf<const T extends string>(
  values: readonly T[],
  text: string,
  field: string,
): T {
  const value = values.find((known) => known === text);
  if (value !== undefined) return value;
  throw invalid(text === "" ? `missing ${field}` : `${field} is one of ${values.join(", ")}`);
}

/** The types of events that a rule publishes. Throws `VALIDATION` for an unknown type. */
export const toNotifications = (types: readonly string[]): PublishedType[] => [
  ...new Set(types.map((type) => oneOf(PUBLISHED_TYPES, type, "each of notifications"))),
];

export function assertLabels(labels: Readonly<Record<string, string>>): void {
  const entries = Object.entries(labels);
  if (entries.length > LABELS_MAX) throw invalid(`a rule has at most ${LABELS_MAX} labels`);
  for (const [name, value] of entries) {
    if (name.length > LABEL_NAME_LENGTH_MAX || value.length > LABEL_LENGTH_MAX) {
      throw invalid(
        `names of labels have at most ${LABEL_NAME_LENGTH_MAX} characters, values at most ${LABEL_LENGTH_MAX}`,
      );
    }
  }
}

type Columns<Names extends keyof RuleRow> = Pick<RuleRow, Names>;

export const notificationColumn = (types: readonly PublishedType[]): string | null =>
  types.length === 0 ? null : stringifyJson(types);

export const labelColumn = (labels: Readonly<Record<string, string>>): string | null =>
  Object.keys(labels).length === 0 ? null : stringifyJson(labels);

/** The columns of a schedule. Events that have come for an earlier schedule are forgotten. */
export function scheduleColumns(
  schedule: RuleSchedule | undefined,
  { enabled, now }: { readonly enabled: boolean; readonly now: Timestamp },
): Columns<"schedule" | "eventTypes" | "nextAt" | "eventsDueAt" | "eventsTakenAt" | "eventsDepth"> {
  const next = enabled ? nextTime(schedule, toMillis(now)) : undefined;
  return {
    schedule: schedule === undefined ? null : stringifyJson(schedule),
    eventTypes: enabled && schedule?.kind === "events" ? stringifyJson(schedule.types) : null,
    nextAt: next === undefined ? null : fromMillis(next),
    eventsDueAt: null,
    eventsTakenAt: null,
    eventsDepth: 0,
  };
}
