import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { FAMILIES } from "./families.ts";
import {
  ageSeconds,
  firstProblems,
  type Observation,
  type Problem,
  sample,
  type StatusSection,
  type StuckWork,
} from "./section.ts";
import { objectBacklogs } from "./tables.ts";
import { COUNT_MAX } from "./work-queue.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";
import { logError } from "#platform/log.ts";
import { toMillis } from "#platform/time.ts";

/** Work that waits in an object longer than it should. */
export interface ObjectBacklog {
  /** How many pieces of work wait; at least so many. */
  readonly waiting: number;
  /** Since when the oldest one waits, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Why it waits, as a sentence without a full stop. */
  readonly reason: string;
}

export interface BacklogNoteOptions {
  /** What waits, such as `webhook-deliveries`. */
  readonly kind: string;
  readonly kv: Pick<SyncKvStorage, "get" | "put" | "delete">;
  readonly db: () => Database;
  readonly nowMs: () => number;
}

/** Time between two writes of a backlog that stays, in milliseconds. */
export const NOTE_MS = 30_000;
/** The key under which an object remembers that D1 has a row of it, with the time since when its work waits. */
const NOTED_KEY = "backlogNoted";

/**
 * Tells D1 that the work of an object waits, and that it waits no more. An object that keeps up writes nothing:
 *
 *     keeps up ── tell(backlog) ──► remember, row in D1 ── tell(backlog), every 30 s ──► row again
 *         ▲                                  │
 *         └── row deleted, forget ◄── tell(undefined)
 *
 * The object remembers the row before D1 has it, and forgets it after D1 has it no more, so that a crash leaves no row behind.
 */
export class BacklogNote {
  readonly #options: BacklogNoteOptions;
  #writtenMs = Number.NEGATIVE_INFINITY;
  /** Whether nothing is known to be stored under `NOTED_KEY`, so that an object that keeps up reads it once. */
  #isClear = false;

  constructor(options: BacklogNoteOptions) {
    this.#options = options;
  }

  /** Since when D1 may have a row of the object, as the first `tell` said it; undefined if it has none. */
  get notedSinceMs(): number | undefined {
    if (this.#isClear) return undefined;
    const sinceMs = this.#options.kv.get<number>(NOTED_KEY);
    this.#isClear = sinceMs === undefined;
    return sinceMs;
  }

  /** Writes what waits in the object, or deletes the row if nothing does. Never throws: the next call makes up for a failure. */
  async tell(name: string, backlog: ObjectBacklog | undefined): Promise<void> {
    const { kind } = this.#options;
    try {
      await (backlog === undefined ? this.#clear(name) : this.#write(name, backlog));
    } catch (error) {
      logError("the backlog of an object could not be noted; it is noted again", error, { kind });
    }
  }

  async #write(name: string, backlog: ObjectBacklog): Promise<void> {
    const { kind, kv, db, nowMs } = this.#options;
    const writtenMs = nowMs();
    if (Math.abs(writtenMs - this.#writtenMs) < NOTE_MS) return;
    if (this.notedSinceMs === undefined) {
      kv.put(NOTED_KEY, backlog.sinceMs);
      this.#isClear = false;
    }
    this.#writtenMs = writtenMs;
    const row = { ...backlog, reason: backlog.reason.slice(0, REASON_LENGTH_MAX), writtenMs };
    const { kind: kindColumn, name: nameColumn } = objectBacklogs;
    const database = db();
    await storeWithReserve(database, [
      database
        .insert(objectBacklogs)
        .values({ kind, name, ...row })
        .onConflictDoUpdate({ target: [kindColumn, nameColumn], set: row }),
    ]);
  }

  async #clear(name: string): Promise<void> {
    if (this.notedSinceMs === undefined) return;
    const { kind, kv, db } = this.#options;
    await forgetBacklog(db(), { kind, name });
    kv.delete(NOTED_KEY);
    this.#isClear = true;
    this.#writtenMs = Number.NEGATIVE_INFINITY;
  }
}

/** The statement that deletes the row of an object, for the batch with which its owner goes. */
export const forgetBacklog = (db: Database, { kind, name }: { kind: string; name: string }) =>
  db
    .delete(objectBacklogs)
    .where(and(eq(objectBacklogs.kind, kind), eq(objectBacklogs.name, name)));

/** Longest reason that is stored, in characters. */
const REASON_LENGTH_MAX = 500;
/** Most objects that are shown with their names. */
const SHOWN_MAX = 100;

/** What a section of objects says of each. */
export interface ObjectAdvice extends Pick<Problem, "severity" | "whatToDo"> {
  readonly kind: string;
  /** What the path of an object needs besides its name, as a text: an expression over the row, such as a look into a table of the module. */
  readonly owner?: SQL;
  /** The path of the API that shows an object. */
  readonly path: (name: string, owner: string) => string;
}

/** A section that shows the objects of a kind that are behind, those that have waited longest by name. */
export const backlogSection = (
  module: string,
  { name, description }: Pick<StatusSection, "name" | "description">,
  advice: ObjectAdvice,
): StatusSection => ({
  name,
  description,
  read: (context) => observeBacklogs(context, module, advice),
  stuck: (context, max) => listBehind(context, advice, max),
});

/** The objects of a kind that have waited longest. */
async function listBehind(
  { env }: Pick<ServiceContext, "env">,
  { kind, severity, whatToDo, path, owner = sql`''` }: ObjectAdvice,
  max: number,
): Promise<StuckWork[]> {
  const rows = await databaseOf(env)
    .select({ row: objectBacklogs, owner: sql<string | null>`${owner}` })
    .from(objectBacklogs)
    .where(eq(objectBacklogs.kind, kind))
    .orderBy(asc(objectBacklogs.sinceMs))
    .limit(max);
  return rows.map(({ row, owner: of }) => ({
    ...problemOf(row, { severity, whatToDo }),
    work: kind,
    path: path(row.name, of ?? ""),
  }));
}

const problemOf = (
  { name, sinceMs, reason, waiting }: typeof objectBacklogs.$inferSelect,
  { severity, whatToDo }: Pick<Problem, "severity" | "whatToDo">,
): Problem => ({
  severity,
  what: name,
  sinceMs,
  why: `${waiting} ${waiting === 1 ? "waits" : "wait"}: ${reason}`,
  whatToDo,
});

/** Reads the objects of a kind that are behind. */
export async function observeBacklogs(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  module: string,
  { kind, severity, whatToDo }: ObjectAdvice,
): Promise<Observation> {
  const nowMs = toMillis(clock());
  const db = databaseOf(env);
  const isOfKind = eq(objectBacklogs.kind, kind);
  const [rows, [count]] = await db.batch([
    db
      .select()
      .from(objectBacklogs)
      .where(isOfKind)
      .orderBy(asc(objectBacklogs.sinceMs))
      .limit(SHOWN_MAX),
    db.select({ value: sql<number>`count(*)` }).from(
      db
        .select({ one: sql`1`.as("one") })
        .from(objectBacklogs)
        .where(isOfKind)
        .limit(COUNT_MAX)
        .as("counted"),
    ),
  ]);
  const behind = count?.value ?? 0;
  const problems = rows.map((row) => problemOf(row, { severity, whatToDo }));
  return {
    samples: [
      sample(FAMILIES.objectsBehind, behind, { module, kind }),
      ...rows.flatMap(({ name, waiting, sinceMs }) => {
        const labels = { module, kind, name };
        return [
          sample(FAMILIES.objectWaiting, waiting, labels),
          sample(FAMILIES.objectOldest, ageSeconds(sinceMs, nowMs), labels),
        ];
      }),
    ],
    problems: firstProblems(problems, behind),
  };
}
