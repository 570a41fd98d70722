import type { GateLimits } from "./fair-gate.ts";

/** A kind of work: its name in refusals, the setting for the most of it under way at once in an isolate, and its times. */
interface WorkKindSpec {
  readonly name: string;
  readonly setting: AdmissionSetting;
  /** Least queue length of one client, for requests beyond its share; 0 if such requests are refused at once. */
  readonly queue: number;
  /** Whether the work takes so long that a burst of requests may pass before it begins. */
  readonly isLong: boolean;
  /** Longest time of the work, in milliseconds. */
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
  | "FLORIN_LIMIT_UPLOADS"
  | "FLORIN_LIMIT_WAITING";

const MINUTE_MS = 60_000;
/** Queue length of one client for small limits. The queue is kept short because every waiter polls. */
const QUEUE = 128;
/** Queue for a client that sets itself up in one burst. Every object that is created adds to the cost of later events. */
const SHORT_QUEUE = 16;
/** Queue for starts. A start holds 0.3 MB of the runtime for as long as its client waits for the instance. */
const START_QUEUE = 48;

/** The kinds of work that have a budget. A request has one kind; work inside of a request may take a ticket of a second kind. */
export const WORK_KINDS = {
  /** Requests without a more special kind. */
  request: {
    name: "requests",
    setting: "FLORIN_LIMIT_REQUESTS",
    queue: QUEUE,
    isLong: false,
    leaseMs: 2 * MINUTE_MS,
  },
  /** Checks of a signature or a secret, and signatures of tokens. The caller is not known yet. */
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
  /** Creations of objects with tables of their own, each of which costs the storage tens of milliseconds. */
  creation: {
    name: "creations",
    setting: "FLORIN_LIMIT_CREATIONS",
    queue: SHORT_QUEUE,
    isLong: true,
    leaseMs: MINUTE_MS,
  },
  /** Starts of instances. Each start stores rows and events, calls the clock, and executes the instance beside the answer. */
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
  /** Calls of a backup, which come one after the other and read a page each. */
  backup: {
    name: "calls of backups",
    setting: "FLORIN_LIMIT_EXPORTS",
    queue: 0,
    isLong: true,
    leaseMs: 2 * MINUTE_MS,
  },
  /** Uploads of statements, which last as long as their bodies arrive. */
  upload: {
    name: "uploads",
    setting: "FLORIN_LIMIT_UPLOADS",
    queue: 0,
    isLong: true,
    leaseMs: 15 * MINUTE_MS,
  },
  /** Streams of events, which end after an hour. */
  stream: {
    name: "event streams",
    setting: "FLORIN_LIMIT_STREAMS",
    queue: 0,
    isLong: false,
    leaseMs: 65 * MINUTE_MS,
  },
  /** Requests that wait for the end of an instance: `wait=true`. */
  waiting: {
    name: "waiting requests",
    setting: "FLORIN_LIMIT_WAITING",
    queue: 0,
    isLong: true,
    leaseMs: 2 * MINUTE_MS,
  },
} as const satisfies Readonly<Record<string, WorkKindSpec>>;

export type WorkKind = keyof typeof WORK_KINDS;

/** Part of the places that one client may hold while no other client has work. */
const ALONE = 7 / 8;
/** Part of the places that one client may hold while other clients have work. */
const SHARED = 3 / 8;
/** Longest wait in a queue, in milliseconds. */
export const QUEUE_WAIT_MS = 5000;

/** The limits of a kind of work with `total` places. */
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
