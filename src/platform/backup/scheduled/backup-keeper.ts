import { newRun, type StoredRun, stepOf } from "./backup-run.ts";
import { assertClaim } from "./bucket-owner.ts";
import { type BackupBucket, bucketOfStep } from "./bucket.ts";
import { KnownFiles } from "./known-files.ts";
import { RunFailure } from "./run-failure.ts";
import { RunFiles } from "./run-files.ts";
import { RunLedgers } from "./run-ledgers.ts";
import { RunPlaces } from "./run-places.ts";
import { type Finish, RUN_FORM, type RunFacts, type RunTools } from "./run-state.ts";
import { type KeptValues, StagedFile } from "./staged-file.ts";
import type { BackupReads } from "#platform/backup/saving/calls.ts";
import { SavedRows } from "#platform/backup/saving/saved-rows.ts";
import { newId } from "#platform/ids.ts";
import { logError } from "#platform/log.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";
import { ownDeadline, type StartDeadline } from "#platform/work/deadline.ts";

/** Waits before a step that has failed is done again, in milliseconds. */
const STEP_BACKOFF = doubling(15_000, 300_000);
/** Failures of one step after which the run ends: more than an hour. */
const FAILURES_MAX = 20;
/** Failures of the removal of older backups after which it is left to the next run: the new backup is complete, and nothing waits for it. */
const PRUNE_FAILURES_MAX = 3;
/**
 * How long the steps of one alarm take together, in milliseconds, and the calls that they make: the platform allows an invocation 1000. A page of
 * ledgers asks the object of each one, a look at the snapshots asks for each of those that are kept, and a file of an object is read in pieces.
 */
const ALARM_MS = 2000;
const ALARM_CALLS = 200;
const CALLS_OF_LIST = 60;
/** The calls by which a file of an object is found and put, and the bytes that each further call reads. */
const CALLS_OF_FILE = 6;
const CALL_BYTES = 500_000;
const LISTING: ReadonlySet<string> = new Set(["heads", "ends"]);
const LOOKING: ReadonlySet<string> = new Set(["begin", "prune"]);
/**
 * How long the steps of one alarm may take before the last of them counts as failed, in milliseconds: the platform ends an alarm after 15 minutes
 * without a word to anybody.
 */
const STEP_MS = 600_000;
/** How long a run may stand still before the next day's takes its place, in milliseconds. */
const STILL_MS = 3_600_000;
/**
 * The least times from runs that have failed to the next ones for the same slot, in milliseconds: whoever asks does so every hour. Each run copies
 * the whole database, so that one that always fails is begun some five times on its first day, and once on later ones.
 */
const RUN_BACKOFF = doubling(3_000_000, 86_400_000);

const RUN = "run";
const OWNER = "owner";
const SLOT = "slot";
const LAST = "last";
const FAILURE = "failure";
const PRUNING = "pruning";
const TROUBLE = "trouble";
const WORK = "work";

/** What a backup keeper works with. */
export interface KeeperTools {
  readonly sql: Sql;
  readonly kv: KeptValues;
  readonly bucket: BackupBucket;
  readonly reads: BackupReads;
  readonly nowMs: () => number;
  readonly keys: RunTools["keys"];
  readonly kept: number;
  /** The start of the deadline of steps. */
  readonly startDeadline?: StartDeadline;
}

/** A backup that is complete. */
export interface CompleteBackup {
  readonly snapshot: string;
  readonly sha256: string;
  readonly beganMs: number;
  readonly endedMs: number;
  /** Entries of logs that it has added, ledgers and other objects that it lacks, and the work that it took. */
  readonly added: number;
  readonly lacks: number;
  readonly work: BackupWork;
}

/** The work of a run: alarms of the object and their steps, and operations of R2 by their classes of prices. */
export interface BackupWork {
  readonly alarms: number;
  readonly steps: number;
  readonly classA: number;
  readonly classB: number;
}

const NO_WORK: BackupWork = { alarms: 0, steps: 0, classA: 0, classB: 0 };

/** Why the last run has ended without a backup, or why the present one does not go on; `atMs` is in milliseconds since the epoch. */
export interface RunTrouble {
  readonly atMs: number;
  readonly reason: string;
  /** Failures in a row. */
  readonly failures: number;
}

/** What is known of a deployment's own backups. Times are in milliseconds since the epoch. */
export interface BackupState {
  /** The first time for which a backup was asked; undefined if none ever was. */
  readonly sinceMs: number | undefined;
  readonly last: CompleteBackup | undefined;
  /** The run under way: when it began, and what it does. */
  readonly run:
    | { readonly beganMs: number; readonly stage: string; readonly trouble: RunTrouble | undefined }
    | undefined;
  /** Why the last run has ended without a backup; undefined once one is complete. */
  readonly failure: RunTrouble | undefined;
  /** Why the last run has not removed what is older than the backups that are kept; undefined once one has. */
  readonly pruning: RunTrouble | undefined;
}

/** Why the last run has ended without a backup, and whether another one for the same slot may succeed without a person. */
interface RunEnd extends RunTrouble {
  readonly isPassing: boolean;
}

/** When a run was last asked for, first and for which time. */
interface AskedSlot {
  readonly firstMs: number;
  readonly slotMs: number;
}

/**
 * Makes the backups of a deployment, one run at a time, in steps between any two of which the process may end:
 *
 *     wake(slot) ─► a run is stored ─► alarm ─► steps, 2 s at most ─► stored ─► alarm ─► … ─► complete
 *                                        ▲                │ a step fails
 *                                        │                ├──► 20 times ─► the reason is stored; the run begins anew an hour later, and later each time
 *                                        └── 15 s … 5 min ┴──► in vain  ─► the reason is stored; the next slot begins anew
 *
 * A backup is complete when its manifest is in the bucket. What the run then removes, or cannot remove, changes nothing about that.
 *
 * A slot is the time for which a run is asked; the same one twice is one run.
 */
export class BackupKeeper {
  readonly #tools: KeeperTools;
  /** The claim to the bucket that is bound; undefined until it was read. Only a start of the object binds another bucket. */
  #claim: string | undefined;

  constructor(tools: KeeperTools) {
    this.#tools = tools;
  }

  /**
   * Begins a run for a slot, in milliseconds since the epoch, unless there was one, or one is under way. One that has failed is begun anew, unless
   * that would be in vain. Returns whether steps are to be done.
   */
  wake(slotMs: number): boolean {
    const { kv, nowMs } = this.#tools;
    const asked = kv.get<AskedSlot>(SLOT);
    // The clock may have been ahead, and has stepped back: any other slot is a new one.
    const isNew = slotMs !== asked?.slotMs;
    if (isNew) kv.put(SLOT, { firstMs: asked?.firstMs ?? nowMs(), slotMs } satisfies AskedSlot);
    const run = kv.get<StoredRun & { readonly goneOnMs: number }>(RUN);
    if (run === undefined) return (isNew || this.#isTriedAgain()) && this.begin();
    if (!isNew || Math.abs(nowMs() - run.goneOnMs) < STILL_MS) return true;
    const reason = kv.get<RunTrouble>(TROUBLE)?.reason ?? "The run stood still for an hour.";
    this.#fail(run, new Error(reason));
    return this.begin();
  }

  /** Whether the last run has failed some time ago for a reason that may have passed. */
  #isTriedAgain(): boolean {
    const { kv, nowMs } = this.#tools;
    const failure = kv.get<RunEnd>(FAILURE);
    if (failure?.isPassing !== true) return false;
    return Math.abs(nowMs() - failure.atMs) >= waitAfterFailures(RUN_BACKOFF, failure.failures);
  }

  /** Begins a run; returns false if one is under way. */
  begin(): boolean {
    const { kv, nowMs } = this.#tools;
    if (kv.get(RUN) !== undefined) return false;
    this.#store(newRun(nowMs()));
    kv.delete(TROUBLE);
    kv.put(WORK, NO_WORK);
    return true;
  }

  /** Does the steps of one alarm. Returns the time of the next alarm, in milliseconds since the epoch; undefined when nothing is to be done. */
  async work(): Promise<number | undefined> {
    const { kv, nowMs } = this.#tools;
    const beganMs = nowMs();
    const work = kv.get<BackupWork>(WORK);
    if (work !== undefined) kv.put(WORK, { ...work, alarms: work.alarms + 1 });
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => undefined); // The step that waits hears of it.
    const { startDeadline = ownDeadline } = this.#tools;
    const deadline = startDeadline(STEP_MS, () =>
      late.reject(new Error("The step has not ended within ten minutes.")),
    );
    try {
      for (let calls = 0; calls < ALARM_CALLS;) {
        const run = kv.get<StoredRun>(RUN);
        if (run === undefined) return undefined;
        calls += this.#callsOf(run.stage);
        const waitMs = await this.#step(run, late.promise);
        if (waitMs > 0) return nowMs() + waitMs;
        if (Math.abs(nowMs() - beganMs) >= ALARM_MS) break;
      }
    } finally {
      deadline.end();
    }
    return kv.get(RUN) === undefined ? undefined : nowMs();
  }

  get state(): BackupState {
    const { kv } = this.#tools;
    const run = kv.get<StoredRun>(RUN);
    return {
      sinceMs: kv.get<AskedSlot>(SLOT)?.firstMs,
      last: kv.get<CompleteBackup>(LAST),
      run:
        run === undefined
          ? undefined
          : {
              beganMs: Date.parse(run.facts.began),
              stage: run.stage.name,
              trouble: kv.get<RunTrouble>(TROUBLE),
            },
      failure: kv.get<RunTrouble>(FAILURE),
      pruning: kv.get<RunTrouble>(PRUNING),
    };
  }

  /** Does a step, which fails where it has not ended before `late` rejects. Returns the wait before the next one, in milliseconds. */
  async #step(stored: StoredRun, late: Promise<never>): Promise<number> {
    const { sql, kv, nowMs } = this.#tools;
    // A run that stood still may have ended while its step waited.
    const isOver = (): boolean => kv.get<StoredRun>(RUN)?.facts.began !== stored.facts.began;
    const run = stored.form === RUN_FORM ? stored : newRun(Date.parse(stored.facts.began)); // another version's
    let isUnderWay = true;
    const tools = this.#runTools(() => isUnderWay && !isOver());
    try {
      const finish = await Promise.race([this.#inBucket(tools, run), late]);
      sql.transaction(() => {
        if (isOver()) return;
        const { stage, facts } = finish();
        const known = { ...run.facts, ...facts };
        const work = kv.get<BackupWork>(WORK);
        if (work !== undefined) kv.put(WORK, { ...work, steps: work.steps + 1 });
        kv.delete(TROUBLE);
        if (stage?.name === "prune" && run.stage.name !== "prune") this.#complete(known);
        if (stage === undefined) this.#end();
        else this.#store({ ...run, facts: known, stage });
      });
      return 0;
    } catch (error) {
      if (isOver()) return 0;
      const reason = reasonOf(error);
      const failures = (kv.get<RunTrouble>(TROUBLE)?.failures ?? 0) + 1;
      kv.put(TROUBLE, { atMs: nowMs(), reason, failures } satisfies RunTrouble);
      const most = run.stage.name === "prune" ? PRUNE_FAILURES_MAX : FAILURES_MAX;
      if (!(error instanceof RunFailure) && failures < most)
        return waitAfterFailures(STEP_BACKOFF, failures);
      this.#fail(run, error);
      return 0;
    } finally {
      isUnderWay = false;
    }
  }

  /** The calls that a step may make, some more or less. */
  #callsOf(stage: StoredRun["stage"]): number {
    if (stage.name === "bytes") {
      const [next] = new RunFiles(this.#tools.sql).next(stage.after, 1);
      return CALLS_OF_FILE + Math.ceil((next?.file.bytes ?? 0) / CALL_BYTES);
    }
    if (LISTING.has(stage.name)) return CALLS_OF_LIST;
    return LOOKING.has(stage.name) ? this.#tools.kept + 1 : 1;
  }

  /** Does a step in the bucket in which the run has begun: another deployment's would be changed by the copy of that one. */
  async #inBucket(tools: RunTools, run: StoredRun): Promise<Finish> {
    const { claim } = run.facts;
    if (run.stage.name !== "begin" && (claim === undefined || claim !== this.#claim)) {
      await assertClaim(tools.bucket, claim);
      this.#claim = claim;
    }
    return stepOf(tools, run);
  }

  #store(run: StoredRun): void {
    this.#tools.kv.put(RUN, { ...run, goneOnMs: this.#tools.nowMs() });
  }

  /** Notes the backup of a run whose manifest is in the bucket. */
  #complete({ began, snapshot, sha256 = "", added, lacks = 0 }: RunFacts): void {
    const { kv, nowMs } = this.#tools;
    const last: CompleteBackup = {
      snapshot,
      sha256,
      beganMs: Date.parse(began),
      endedMs: nowMs(),
      added,
      lacks,
      work: kv.get<BackupWork>(WORK) ?? NO_WORK,
    };
    kv.put(LAST, last);
    kv.delete(FAILURE);
  }

  /** Ends a run that has removed what is older. */
  #end(): void {
    const { kv } = this.#tools;
    kv.delete(PRUNING);
    this.#clear();
  }

  /** Ends a run that does not go on. Its backup is lost, unless it is complete already. */
  #fail({ stage, facts }: StoredRun, error: unknown): void {
    const { kv, nowMs } = this.#tools;
    const isComplete = stage.name === "prune";
    const key = isComplete ? PRUNING : FAILURE;
    const failures = (kv.get<RunTrouble>(key)?.failures ?? 0) + 1;
    const isPassing = !(error instanceof RunFailure) || error.isPassing;
    kv.put(key, { atMs: nowMs(), reason: reasonOf(error), failures, isPassing } satisfies RunEnd);
    const message = isComplete
      ? "what is older than the deployment's backups cannot be removed from its bucket"
      : "a backup into the deployment's bucket has failed";
    logError(message, error, { stage: stage.name, snapshot: facts.snapshot });
    this.#clear();
  }

  /** Forgets a run that is over, and the rows that it has copied. */
  #clear(): void {
    const { kv } = this.#tools;
    const tools = this.#runTools();
    const last = kv.get<CompleteBackup>(LAST);
    const run = kv.get<StoredRun>(RUN);
    // The work of the removal belongs to the backup, too.
    if (last !== undefined && run?.facts.snapshot === last.snapshot)
      kv.put(LAST, { ...last, work: kv.get<BackupWork>(WORK) ?? last.work });
    kv.delete(RUN);
    kv.delete(TROUBLE);
    tools.rows.clear();
    tools.ledgers.clear();
    tools.places.clear();
    tools.files.clear();
    tools.staged.clear();
  }

  /** What a step works with. When it may no longer write, rows that arrive are no rows of the run, and the bucket does nothing. */
  #runTools(mayWrite: () => boolean = () => true): RunTools {
    const { sql, kv } = this.#tools;
    const bucket = bucketOfStep(this.#tools.bucket, mayWrite);
    let owner = kv.get<string>(OWNER);
    if (owner === undefined) {
      owner = newId();
      kv.put(OWNER, owner);
    }
    return {
      ...this.#tools,
      bucket,
      owner,
      failures: kv.get<RunTrouble>(TROUBLE)?.failures ?? 0,
      lastComplete: kv.get<CompleteBackup>(LAST)?.snapshot,
      rows: new SavedRows(sql, mayWrite),
      known: new KnownFiles(sql, bucket),
      ledgers: new RunLedgers(sql),
      places: new RunPlaces(sql),
      files: new RunFiles(sql),
      staged: new StagedFile(kv),
    };
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Counts an operation that R2 charges among the work of the run under way: `A` changes or lists, `B` reads. */
export function countOperation(kv: KeptValues, charged: "A" | "B"): void {
  const work = kv.get<BackupWork>(WORK);
  if (work === undefined) return;
  const { classA, classB } = work;
  kv.put(WORK, charged === "A" ? { ...work, classA: classA + 1 } : { ...work, classB: classB + 1 });
}
