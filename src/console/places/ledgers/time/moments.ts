import { retainSearchParams, useSearch } from "@tanstack/react-router";
import { parseSearch } from "#console/parts/routing/search.ts";

/** The moments at which the pages of a ledger are shown, as the URL has them: RFC 3339, or absent for now. */
export interface Moments {
  /** The moment of the page. */
  readonly at?: string | undefined;
  /** Another moment, with which balances are compared. */
  readonly compare?: string | undefined;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** Keeps the moments of the URL, and drops what is none. */
export function momentsOf(search: Readonly<Record<string, unknown>>): Moments {
  const { at, compare } = search;
  return {
    ...(isInstant(at) ? { at } : {}),
    ...(isInstant(compare) ? { compare } : {}),
  };
}

const isInstant = (value: unknown): value is string =>
  typeof value === "string" && INSTANT.test(value) && !Number.isNaN(Date.parse(value));

/** Links from one page of a ledger to another one keep its moments. */
export const keepsMoments = { middlewares: [retainSearchParams<Moments>(["at", "compare"])] };

/** The moments of the page that is shown. */
export const useMoments = (): Moments => momentsOf(useSearch({ strict: false }));

/** The moment of the page at the browser's URL, for queries that their page asks without one. */
export const momentInUrl = (): string | undefined => momentsOf(parseSearch(location.search)).at;

/** How far a step goes through time. */
export type Step = "minute" | "hour" | "day" | "week" | "month";

export const STEPS: readonly Step[] = ["minute", "hour", "day", "week", "month"];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const LENGTHS: Readonly<Record<Exclude<Step, "month">, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/** The moment a step later, or with -1 earlier. A month ends on its last day where it has no such day. */
export function stepFrom(at: string, step: Step, direction: 1 | -1): string {
  const date = new Date(at);
  if (step === "month") {
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + direction);
    date.setUTCDate(Math.min(day, daysIn(date)));
  } else {
    date.setTime(date.getTime() + direction * LENGTHS[step]);
  }
  return date.toISOString();
}

const daysIn = (month: Date): number =>
  new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();

/** The step that goes through a span of time in some dozens of steps. */
export function stepFor(spanMs: number): Step {
  if (spanMs < 3 * HOUR_MS) return "minute";
  if (spanMs < 4 * DAY_MS) return "hour";
  return spanMs < 120 * DAY_MS ? "day" : "week";
}

/** A moment as an input of the browser has it: in the viewer's zone, to the second. */
export function toInput(at: string): string {
  const date = new Date(at);
  const pad = (part: number, digits = 2): string => String(part).padStart(digits, "0");
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** The moment of an input of the browser; undefined for an input that is not complete. */
export function fromInput(text: string): string | undefined {
  const date = new Date(text);
  return text === "" || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
