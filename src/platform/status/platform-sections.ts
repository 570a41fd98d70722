import { sql } from "drizzle-orm";
import { FAMILIES } from "./families.ts";
import {
  ageSeconds,
  firstProblems,
  type Observation,
  type Problem,
  sample,
  type StatusSection,
} from "./section.ts";
import { readStuckRows } from "./stuck.ts";
import { sweepRuns } from "./tables.ts";
import { COUNT_MAX, type WorkQueue } from "./work-queue.ts";
import { databaseOf } from "#platform/db/database.ts";
import { LARGE_SHARE, whatToDo } from "#platform/storage/sizes.ts";
import { readUses, type StorageUse } from "#platform/storage/usage.ts";
import { formatTimestamp, fromMillis, parseTimestamp, toMillis } from "#platform/time.ts";

const OUTBOX_LABELS = { module: "platform", work: "outbox" } as const;
/** How long an event may wait for its confirmation, in milliseconds: until it was announced a second time, and some. */
const CONFIRMED_MS = 60_000;

/** Events as rows of a queue. */
const UNCONFIRMED: WorkQueue = {
  work: OUTBOX_LABELS.work,
  table: sql`outbox`,
  due: sql`json_extract(event, '$.date')`,
  order: sql`sequence`,
  graceMs: CONFIRMED_MS,
  severity: "critical",
  why: "the event was announced again, and no consumer has confirmed it",
  whatToDo:
    "look for the event in the log, where its listener says why it fails, and at the dead letters",
  item: {
    id: sql`id || ' (' || json_extract(event, '$.app') || '.' || json_extract(event, '$.type') || ')'`,
    path: () => "/api/florin/v1/dead-letters",
  },
};

interface OldestEvent {
  readonly waiting: number;
  readonly id: string | null;
  readonly name: string | null;
  readonly date: string | null;
  readonly attempts: number | null;
}

/** Events of changes in D1 that no consumer has confirmed. */
export const outboxSection: StatusSection = {
  name: "outbox",
  description: "Events that are stored and not confirmed yet",
  read: async ({ env, clock }) => {
    const nowMs = toMillis(clock());
    const [oldest] = await databaseOf(env).all<OldestEvent>(sql`
      SELECT (SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT ${sql.raw(String(COUNT_MAX))})) AS waiting,
        o.id, o.attempts, json_extract(o.event, '$.date') AS date,
        json_extract(o.event, '$.app') || '.' || json_extract(o.event, '$.type') AS name
      FROM (SELECT 1) LEFT JOIN (SELECT * FROM outbox ORDER BY sequence LIMIT 1) AS o`);
    return observeOutbox(oldest, nowMs);
  },
  stuck: (context, max) => readStuckRows(context, [UNCONFIRMED], max),
};

function observeOutbox(oldest: OldestEvent | undefined, nowMs: number): Observation {
  const date = parseTimestamp(oldest?.date ?? "");
  const sinceMs = date === undefined ? undefined : toMillis(date);
  const isLate = sinceMs !== undefined && nowMs - sinceMs > CONFIRMED_MS;
  return {
    samples: [
      sample(FAMILIES.workWaiting, oldest?.waiting ?? 0, OUTBOX_LABELS),
      sample(
        FAMILIES.workOldest,
        sinceMs === undefined ? 0 : ageSeconds(sinceMs, nowMs),
        OUTBOX_LABELS,
      ),
      sample(FAMILIES.workOverdue, Number(isLate), OUTBOX_LABELS),
    ],
    problems: isLate
      ? [
          {
            severity: "critical",
            what: `the event ${oldest?.id ?? ""} (${oldest?.name ?? ""})`,
            sinceMs,
            why: `the event was announced ${oldest?.attempts ?? 0} times again, and no consumer has confirmed it`,
            whatToDo:
              "look for the event in the log, where its listener says why it fails; see 'FlorinWorkOverdue' in docs/operations/runbook.md",
          },
        ]
      : [],
  };
}

/** Most objects whose sizes are shown. */
const SIZES_MAX = 20;
/** Share of a limit, and time until it is reached in milliseconds, from which a problem is critical. */
const CRITICAL_SHARE = 0.9;
const CRITICAL_MS = 7 * 86_400_000;

/** The sizes of the database and of large objects, and when they will be full. */
export const storageSection: StatusSection = {
  name: "storage",
  description:
    "Sizes of the database and of the largest objects, of which small ones are not measured",
  read: async ({ env, clock }) => {
    const nowMs = toMillis(clock());
    const { database, objects } = await readUses(databaseOf(env), nowMs, SIZES_MAX);
    const sizes = [...(database === undefined ? [] : [database]), ...objects];
    return {
      samples: sizes.flatMap(({ name, bytes, limitBytes, fullMs }) => [
        sample(FAMILIES.storageSize, bytes, { name }),
        sample(FAMILIES.storageLimit, limitBytes, { name }),
        ...(fullMs === undefined
          ? []
          : [sample(FAMILIES.storageFullIn, Math.round((fullMs - nowMs) / 1000), { name })]),
      ]),
      problems: firstProblems(sizes.flatMap((size) => storageProblem(size, nowMs))),
    };
  },
};

function storageProblem(size: StorageUse, nowMs: number): Problem[] {
  const { name, bytes, limitBytes, fullMs = Infinity } = size;
  const share = bytes / limitBytes;
  if (share < LARGE_SHARE) return [];
  const isCritical = share >= CRITICAL_SHARE || fullMs - nowMs <= CRITICAL_MS;
  const end =
    fullMs > LAST_DAY_MS
      ? "and does not grow"
      : `and is full on ${formatTimestamp(fromMillis(Math.round(fullMs))).slice(0, 10)} at the present rate`;
  return [
    {
      severity: isCritical ? "critical" : "warning",
      what: name,
      sinceMs: undefined,
      why: `${(share * 100).toFixed(1)} % of ${limitBytes / 1e9} GB are used, ${end}`,
      whatToDo: whatToDo(size),
    },
  ];
}

/** The end of the days that are named, in milliseconds since the epoch: the year 2200. */
const LAST_DAY_MS = 7_258_118_400_000;

/** Difference of clocks that makes a problem, in seconds. Tokens and webhooks tolerate about as much. */
const CLOCK_SECONDS_MAX = 60;

/** The server's clock beside that of the database, and beside the latest time that a sweep has stored. */
export const clockSection: StatusSection = {
  name: "clock",
  description: "The clock of the server",
  read: async ({ env, clock }) => {
    const db = databaseOf(env);
    const startedMs = toMillis(clock());
    const row = await db.get<{ nowMs: number; latestMs: number | null }>(sql`
      SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS nowMs,
        (SELECT max(ran_ms) FROM ${sweepRuns}) AS latestMs`);
    // The database read its clock between the two looks at the server's.
    const nowMs = (startedMs + toMillis(clock())) / 2;
    const difference = (nowMs - row.nowMs) / 1000;
    const behind = Math.max((row.latestMs ?? 0) - nowMs, 0) / 1000;
    return {
      samples: [
        sample(FAMILIES.clockDifference, difference, {}),
        sample(FAMILIES.clockBehind, behind, {}),
      ],
      problems: [
        ...clockProblem(
          `the server's clock and the database's are ${Math.round(Math.abs(difference))} s apart`,
          Math.abs(difference),
        ),
        ...clockProblem(
          `the clock is ${Math.round(behind)} s behind a time that it has stored`,
          behind,
        ),
      ],
    };
  },
};

const clockProblem = (why: string, seconds: number): Problem[] =>
  seconds <= CLOCK_SECONDS_MAX
    ? []
    : [
        {
          severity: "critical",
          what: "the clock of the server",
          sinceMs: undefined,
          why,
          whatToDo:
            "synchronise the machine's clock (NTP); tokens, schedules and signatures go by it",
        },
      ];
