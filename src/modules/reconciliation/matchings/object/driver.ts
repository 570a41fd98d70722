import { collectPages } from "./collect.ts";
import type { MatchingEngine } from "#modules/reconciliation/matchings/engine/engine.ts";
import { systemContext } from "#platform/context.ts";
import { AppError, type FailureKind } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long one ring of the alarm works, in milliseconds. The next ring follows at once. */
const WORK_MS_MAX = 20_000;
/** When an alarm looks after a run whose object was lost in the middle of its work, in milliseconds. */
const LOOK_AFTER_MS = 30_000;
/** Waits after a page that could not be read, and how often it is tried. */
const BACKOFF = doubling(1000, 60_000);
const TRIES_MAX = 8;

/** Failures that pass by themselves. */
const PASSING: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "OVERLOADED",
  "RATE_LIMITED",
  "STORAGE_FULL",
]);

/** What a driver works on. */
interface Driven {
  readonly env: Env;
  /** The engine; undefined where nothing is to be done. */
  readonly engine: () => MatchingEngine | undefined;
  readonly matchingId: () => string;
  /** Sets the alarm that goes on with the work, in milliseconds since the epoch. */
  readonly goOnAt: (atMs: number) => void;
  /** Tells that the head of a run has changed. */
  readonly changed: () => void;
  /** Removes all that the object holds, because the matching was deleted. */
  readonly empty: () => Promise<void>;
}

/** Drives the run of a matching: slice by slice, with requests between two slices. */
export class MatchingDriver {
  readonly #driven: Driven;
  #isWorking = false;

  constructor(driven: Driven) {
    this.#driven = driven;
  }

  /** Works until the run has ended, has to wait, or the time is over. */
  async work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      const untilMs = Date.now() + WORK_MS_MAX;
      const { engine, goOnAt } = this.#driven;
      if (engine()?.heads.working() === undefined) return;
      goOnAt(Date.now() + LOOK_AFTER_MS);
      while (await this.#slice()) {
        if (Date.now() >= untilMs) return goOnAt(Date.now());
        await scheduler.wait(0);
      }
    } finally {
      this.#isWorking = false;
    }
  }

  /** Works on one slice. Gives whether there is more to do at once. */
  async #slice(): Promise<boolean> {
    const { engine: opened, changed } = this.#driven;
    const engine = opened();
    const run = engine?.heads.working();
    if (engine === undefined || run === undefined) return false;
    if (run.cursor.phase === "collect") return this.#collect(engine);
    try {
      const isMore = engine.work();
      if (!isMore) changed();
      return isMore;
    } catch (error) {
      return this.#fail(engine, { error, text: UNEXPECTED_SLICE });
    }
  }

  async #collect(engine: MatchingEngine): Promise<boolean> {
    const { env, engine: opened, matchingId, changed, empty } = this.#driven;
    try {
      const collected = await collectPages(systemContext(env, "matching"), {
        matchingId: matchingId(),
        engine,
        isOpen: () => opened() === engine,
      });
      if (collected === "deleted") await empty();
      else if (collected === "all") changed();
      return collected !== "deleted";
    } catch (error) {
      return this.#fail(engine, { error, text: UNEXPECTED_PAGE });
    }
  }

  /** Tries a page or a slice again later, or ends the run. Gives whether there is more to do at once. */
  #fail(engine: MatchingEngine, { error, text }: Failed): boolean {
    const { goOnAt, changed, engine: opened } = this.#driven;
    if (opened() !== engine) return false;
    const isExpected = error instanceof AppError;
    if (!isExpected) logError("a run of a matching could not work", error);
    const failures = (engine.heads.working()?.failures ?? 0) + 1;
    const isPassing = !isExpected || PASSING.has(error.kind);
    if (isPassing && failures < TRIES_MAX) {
      engine.addFailure();
      goOnAt(Date.now() + waitAfterFailures(BACKOFF, failures));
      return false;
    }
    engine.fail(isExpected ? error.message : text);
    changed();
    return false;
  }
}

/** What has failed, and what an unexpected error is called in the head of the run. */
interface Failed {
  readonly error: unknown;
  readonly text: string;
}

const UNEXPECTED_PAGE =
  "a source could not be read because of an unexpected error, which the server has logged";
const UNEXPECTED_SLICE =
  "lines could not be matched because of an unexpected error, which the server has logged";
