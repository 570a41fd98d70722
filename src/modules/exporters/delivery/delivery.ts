import type { ProgressStore } from "./progress.ts";
import type { ExporterDestination } from "#modules/exporters/drivers/driver.ts";
import type { LogItem, LogPage } from "#modules/exporters/drivers/log-page.ts";
import type { ExporterSetup } from "#modules/exporters/store/exporter-config.ts";
import type { PipelineSpec } from "#modules/exporters/store/pipeline-store.ts";
import { HELD_MS, isHeld } from "#platform/arming/arming-watch.ts";
import { present } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";
import type { OutboundGate } from "#platform/http/outbound.ts";
import { logError } from "#platform/log.ts";
import {
  type Backoff,
  doubling,
  type Random,
  waitAfterElapsed,
  waitAfterFailures,
} from "#platform/work/backoff.ts";

/** Functions that a delivery calls; tests pass fakes. */
export interface DeliveryPorts {
  /** Returns the current spec: the same object as before, as long as nothing has changed. */
  readonly spec: () => Promise<PipelineSpec | undefined>;
  /** Reads entries after a position, or the first ones if the position is undefined. Throws `LEDGER_NOT_FOUND`. */
  readonly readPage: (
    ledger: string,
    position: number | undefined,
    countMax: number,
  ) => Promise<LogPage>;
  readonly open: (setup: ExporterSetup) => ExporterDestination;
  /** Resolves if batches may be sent now; see `OutboundGate`. Destinations that are bindings are behind no other gate. */
  readonly gate: OutboundGate;
  readonly nowMs: () => number;
  readonly random: Random;
}

export interface DeliveryOptions {
  /** How long a pipeline waits before it first polls a ledger that has no more entries, in milliseconds. */
  readonly pullMs: number;
  /** How long a pipeline waits after a first failure, in milliseconds. */
  readonly retryMs: number;
  /** Most entries that are read at a time. */
  readonly pageSize: number;
}

/**
 * When the next run starts: at a time, or only after a change of the pipeline. `isRetry` marks a run after a failure, which only such a
 * change makes start earlier.
 */
export type NextRun =
  | { readonly kind: "never" }
  | { readonly kind: "at"; readonly atMs: number; readonly isRetry: boolean };

/** How long one run sends, in milliseconds. Then another run begins, for which the platform counts its limits anew. */
const RUN_MS_MAX = 20_000;
/** Most batches that one run sends. Each page and each batch is a call, of which the platform allows 1,000. */
const RUN_BATCHES_MAX = 300;

/** Longest wait between attempts, in retry periods. A repaired endpoint gets its entries soon, and a dead one is not flooded. */
const RETRY_PERIODS_MAX = 6;
/** Pipelines that have failed together spread out over half of their wait. */
const RETRY_JITTER = 0.5;
/** Longest wait between two polls of an idle ledger, in milliseconds. */
const IDLE_MS_MAX = 3_600_000;

const NEVER: NextRun = { kind: "never" };

/**
 * Sends the log of a ledger to its destination, in order, batch by batch. The position moves when a whole batch was accepted, so that after
 * a crash a batch is sent again, and none is left out.
 */
export class Delivery {
  readonly #ports: DeliveryPorts;
  readonly #progress: ProgressStore;
  readonly #options: DeliveryOptions;
  #opened: { spec: PipelineSpec; destination: ExporterDestination } | undefined;

  constructor(ports: DeliveryPorts, progress: ProgressStore, options: DeliveryOptions) {
    this.#ports = ports;
    this.#progress = progress;
    this.#options = options;
  }

  /**
   * Sends new entries, for at most `RUN_MS_MAX` and one call more, and returns when the next run starts. Keeps failures in the progress, and does
   * not throw them. Only one run at a time.
   */
  async run(): Promise<NextRun> {
    const { nowMs } = this.#ports;
    const run: Run = { endsAtMs: nowMs() + RUN_MS_MAX, batches: 0 };
    try {
      while (nowMs() < run.endsAtMs && run.batches < RUN_BATCHES_MAX) {
        const next = await this.#sendPage(run);
        if (next !== undefined) return next;
      }
      return { kind: "at", atMs: nowMs(), isRetry: false };
    } catch (error) {
      if (isHeld(error)) return { kind: "at", atMs: nowMs() + HELD_MS, isRetry: false };
      if (error instanceof AppError) return this.#failed(error.message);
      logError("a pipeline could not run", error, { pipeline: this.#progress.readId() });
      return this.#failed(UNEXPECTED);
    }
  }

  /**
   * When the pipeline has to run because of new entries, in milliseconds since the epoch: at once for a full batch, otherwise when the batch is
   * sent even if it is not full. Stores since when entries wait. `lastLogId` is the last entry of the ledger, if it is known.
   */
  wakeAtMs(lastLogId: number | undefined): number {
    const nowMs = this.#ports.nowMs();
    if (this.#opened === undefined) return nowMs;
    const { destination } = this.#opened;
    const waiting = (lastLogId ?? 0) - (this.#progress.read()?.lastLogId ?? 0);
    const isFull = waiting >= this.#batchSize(destination);
    return isFull ? nowMs : this.#flushAtMs(destination);
  }

  /** Sends one page. Returns when the next run starts where this run is over, and undefined where it goes on. */
  async #sendPage(run: Run): Promise<NextRun | undefined> {
    const spec = await this.#ports.spec();
    const progress = this.#progress.read();
    if (spec?.enabled !== true || progress === undefined) return NEVER;
    const { destination } = this.#openFor(spec);
    const page = await this.#readPage(spec, progress.lastLogId);
    if (page === undefined) return this.#idle({ isPaused: true });
    if (page.items.length === 0) return this.#idle({ isPaused: false });
    const size = this.#batchSize(destination);
    for (let start = 0; start < page.items.length; start += size) {
      const batch = page.items.slice(start, start + size);
      const isFull = batch.length === size;
      // A page may also end early because its entries are large.
      const readyAtMs = isFull || !page.isLast ? 0 : this.#flushAtMs(destination);
      if (readyAtMs > this.#ports.nowMs()) return { kind: "at", atMs: readyAtMs, isRetry: false };
      const next = await this.#sendBatch(batch, { spec, destination });
      run.batches++;
      if (next !== undefined) return next;
      if (run.batches >= RUN_BATCHES_MAX || this.#ports.nowMs() >= run.endsAtMs) break;
      if ((await this.#ports.spec()) !== spec) break;
    }
    return undefined;
  }

  async #sendBatch(
    batch: readonly LogItem[],
    { spec, destination }: { spec: PipelineSpec; destination: ExporterDestination },
  ): Promise<NextRun | undefined> {
    await this.#ports.gate();
    const problem = await send(destination, spec.ledger, batch);
    if (problem === undefined) {
      const { id: lastLogId } = present(batch.at(-1), "a batch has entries");
      const accepted = { lastLogId, count: batch.length };
      this.#progress.advance(spec.resets, accepted, this.#ports.nowMs());
      return undefined;
    }
    // If the spec has changed meanwhile, the run goes on with the new one at once, because the problem may be that of the old exporter.
    const isCurrent = (await this.#ports.spec()) === spec;
    return isCurrent ? this.#failed(problem) : undefined;
  }

  /** Reads a page of the log; undefined if the ledger is deleted, perhaps only until it is restored. */
  async #readPage(
    { ledger }: PipelineSpec,
    position: number | undefined,
  ): Promise<LogPage | undefined> {
    try {
      return await this.#ports.readPage(ledger, position, this.#options.pageSize);
    } catch (error) {
      if (error instanceof AppError && error.kind === "LEDGER_NOT_FOUND") return undefined;
      throw error;
    }
  }

  #openFor(spec: PipelineSpec): { destination: ExporterDestination } {
    if (this.#opened?.spec === spec) return this.#opened;
    this.#opened = undefined;
    if (spec.openSetup === undefined) throw new AppError("NOT_FOUND", "the exporter was deleted");
    const destination = this.#ports.open(spec.openSetup());
    this.#opened = { spec, destination };
    return this.#opened;
  }

  /** Most entries of a batch, which never has more than one page. */
  #batchSize({ batching }: ExporterDestination): number {
    return Math.min(batching.itemsMax ?? Infinity, this.#options.pageSize);
  }

  /**
   * When the batch is sent even if it is not full. The store keeps since when entries wait, because the object may leave memory meanwhile.
   */
  #flushAtMs({ batching }: ExporterDestination): number {
    return this.#progress.waitingSince(this.#ports.nowMs()) + batching.flushAfterMs;
  }

  #idle(state: { isPaused: boolean }): NextRun {
    const nowMs = this.#ports.nowMs();
    this.#progress.rest(state);
    const idleMs = nowMs - (this.#progress.read()?.activeAtMs ?? nowMs);
    const waitMs = waitAfterElapsed(idleBackoff(this.#options), idleMs);
    return { kind: "at", atMs: nowMs + waitMs, isRetry: false };
  }

  #failed(message: string): NextRun {
    const nowMs = this.#ports.nowMs();
    const failures = this.#progress.fail(message, nowMs);
    const backoff = failureBackoff(this.#options);
    const waitMs = waitAfterFailures(backoff, failures, this.#ports.random);
    return { kind: "at", atMs: nowMs + waitMs, isRetry: true };
  }
}

interface Run {
  readonly endsAtMs: number;
  batches: number;
}

const failureBackoff = ({ retryMs }: DeliveryOptions): Backoff => ({
  firstMs: retryMs,
  mostMs: retryMs * RETRY_PERIODS_MAX,
  factor: 2,
  jitter: RETRY_JITTER,
});

/**
 * The longer a ledger has no new entries, the less often its pipeline polls it. New entries wake the pipeline, and polling only makes up
 * for a lost message.
 */
const idleBackoff = ({ pullMs }: DeliveryOptions): Backoff =>
  doubling(pullMs, Math.max(IDLE_MS_MAX, pullMs));

/** The message for clients of an error that does not come from a destination. The whole error is in the log. */
const UNEXPECTED = "an unexpected error; see the logs of the server";

/**
 * Sends a batch. A binding may throw, where calls of other servers resolve to a problem: both are a problem here. Throws for a batch that was
 * not sent, because the deployment has been disarmed meanwhile.
 */
async function send(
  destination: ExporterDestination,
  ledger: string,
  batch: readonly LogItem[],
): Promise<string | undefined> {
  try {
    return await destination.send(ledger, batch);
  } catch (error) {
    if (isHeld(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}
