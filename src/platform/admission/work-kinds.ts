import type { GateLimits } from "./fair-gate.ts";

/** What a kind of work is called in refusals, and which setting says how much of it is under way at once in an isolate. */
interface WorkKindSpec {
  readonly name: string;
  readonly setting: AdmissionSetting;
  /** How much of one client beyond its share waits for a moment; 0 where it is refused at once. */
  readonly queue: number;
  /** Whether it takes so long that it lets a burst of requests pass before it begins. */
  readonly isLong: boolean;
  /** How long such work takes at most, in milliseconds. */
  readonly leaseMs: number;
}

export type AdmissionSetting =
  | "FLORIN_LIMIT_REQUESTS"
  | "FLORIN_LIMIT_CREDENTIALS"
  | "FLORIN_LIMIT_SCRIPTS"
  | "FLORIN_LIMIT_EXPORTS"
  | "FLORIN_LIMIT_CREATIONS"
  | "FLORIN_LIMIT_STARTS"
  | "FLORIN_LIMIT_STREAMS"
  | "FLORIN_LIMIT_WAITING";

const MINUTE_MS = 60_000;
/** Least work of one client that may wait: each waiter looks for its place again and again, so that a queue is no longer than it must be. */
const QUEUE = 128;
/** As much as a client that sets itself up sends at once. Each work of such a kind adds to what later events cost. */
const SHORT_QUEUE = 16;
/** Each start that is made then holds 0.3 MB of the runtime for as long as its client waits for the instance. */
const START_QUEUE = 48;

/** The kinds of work that have a budget. A request is of one kind; work inside of it may take a second one. */
export const WORK_KINDS = {
  /** Whatever has no kind of its own. */
  request: {
    name: "requests",
    setting: "FLORIN_LIMIT_REQUESTS",
    queue: QUEUE,
    isLong: false,
    leaseMs: 2 * MINUTE_MS,
  },
  /** Checks of a signature or a secret, and signatures of tokens: nobody is known before. */
  credential: {
    name: "checks of credentials",
    setting: "FLORIN_LIMIT_CREDENTIALS",
    queue: QUEUE,
    isLong: false,
    leaseMs: MINUTE_MS,
  },
  /** Checks and dry runs of Numscript outside of a write. */
  script: {
    name: "scripts",
    setting: "FLORIN_LIMIT_SCRIPTS",
    queue: QUEUE,
    isLong: false,
    leaseMs: MINUTE_MS,
  },
  /** Checks and test runs of expressions. */
  expression: {
    name: "expressions",
    setting: "FLORIN_LIMIT_SCRIPTS",
    queue: QUEUE,
    isLong: false,
    leaseMs: MINUTE_MS,
  },
  /** Makes objects with tables of their own, for which the storage takes tens of milliseconds each. */
  creation: {
    name: "creations",
    setting: "FLORIN_LIMIT_CREATIONS",
    queue: SHORT_QUEUE,
    isLong: true,
    leaseMs: MINUTE_MS,
  },
  /** Starts of instances: each stores rows and events, asks the clock, and is executed beside the answer. */
  start: {
    name: "starts of instances",
    setting: "FLORIN_LIMIT_STARTS",
    queue: START_QUEUE,
    isLong: true,
    leaseMs: MINUTE_MS,
  },
  export: {
    name: "exports",
    setting: "FLORIN_LIMIT_EXPORTS",
    queue: 0,
    isLong: true,
    leaseMs: 60 * MINUTE_MS,
  },
  import: {
    name: "imports",
    setting: "FLORIN_LIMIT_EXPORTS",
    queue: 0,
    isLong: true,
    leaseMs: 60 * MINUTE_MS,
  },
  verification: {
    name: "verifications",
    setting: "FLORIN_LIMIT_EXPORTS",
    queue: 0,
    isLong: true,
    leaseMs: 2 * MINUTE_MS,
  },
  /** Listeners of events. A stream ends after an hour. */
  stream: {
    name: "event streams",
    setting: "FLORIN_LIMIT_STREAMS",
    queue: 0,
    isLong: false,
    leaseMs: 65 * MINUTE_MS,
  },
  /** Requests that wait for the end of something: `wait=true`. */
  waiting: {
    name: "waiting requests",
    setting: "FLORIN_LIMIT_WAITING",
    queue: 0,
    isLong: true,
    leaseMs: 2 * MINUTE_MS,
  },
} as const satisfies Readonly<Record<string, WorkKindSpec>>;

export type WorkKind = keyof typeof WORK_KINDS;

/** Part of the places that one client has while no other is there. */
const ALONE = 7 / 8;
/** Part of the places that one client has while others are there. */
const SHARED = 3 / 8;
/** Longest wait in a queue, in milliseconds. */
export const QUEUE_WAIT_MS = 5000;

/** The limits of a kind of which `total` are under way at once. */
export const limitsOf = (kind: WorkKind, total: number): GateLimits => ({
  total,
  alone: Math.max(1, Math.floor(total * ALONE)),
  shared: Math.max(1, Math.floor(total * SHARED)),
  waitingOfGroup: queueOf(kind, total),
  waiting: 2 * queueOf(kind, total),
  waitMs: QUEUE_WAIT_MS,
  leaseMs: WORK_KINDS[kind].leaseMs,
});

const queueOf = (kind: WorkKind, total: number): number => {
  const { queue } = WORK_KINDS[kind];
  return queue === 0 ? 0 : Math.max(queue, Math.ceil(total / 4));
};
