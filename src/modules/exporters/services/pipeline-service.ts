import { unknownExporter } from "./exporter-service.ts";
import type { LogTextPage } from "#ledger-engine";
import { LedgerCatalogue } from "#modules/catalogue/index.ts";
import type { DeliveryFailure, Progress } from "#modules/exporters/delivery/progress.ts";
import { exporterSettings } from "#modules/exporters/settings.ts";
import { type DatedChange, ExporterStore } from "#modules/exporters/store/exporter-store.ts";
import {
  whereBucket,
  type LedgerIdentity,
  whereLedger,
  type Pipeline,
  PipelineStore,
  type PipelineTarget,
  removedObjects,
  whereId,
} from "#modules/exporters/store/pipeline-store.ts";
import {
  type PipelineReconciler,
  purgeLimits,
  reconcilerOf,
  requestLimits,
  sweepLimits,
  WAKE_LANES,
  WAKE_MS_MAX,
  WAKES_MAX,
} from "#modules/exporters/store/reconciler.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { systemClock } from "#platform/clock.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { logError } from "#platform/log.ts";
import { objectAt } from "#platform/objects/address.ts";
import { callObject, type ObjectCall, reachObject } from "#platform/objects/call.ts";
import { withDeadline } from "#platform/work/deadline.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** Most pipelines of a ledger, because a list of pipelines is one page, and each write of the ledger wakes all of them. */
export const PIPELINES_PER_LEDGER_MAX = 50;

/** The read of a pipeline's progress. A pipeline that does not answer delays a request for 5 seconds at most. */
const PROGRESS_OF_PIPELINE: ObjectCall = {
  object: "pipeline",
  isRepeatable: true,
  timeoutMs: 5000,
};

export interface RunningPipeline extends Pipeline {
  /** Undefined if the pipeline's object does not know yet of the pipeline or of its last reset, or does not answer. */
  readonly progress: Progress | undefined;
  /** The attempts to deliver that have failed since the last success, or the failed attempt to read the progress. */
  readonly failure: DeliveryFailure | undefined;
}

/** A running pipeline, and the first and the last entry of its ledger's log. */
export interface MeasuredPipeline extends RunningPipeline {
  /** Undefined for an empty log. */
  readonly logIds: LogIds | undefined;
}

interface LogIds {
  readonly first: number;
  readonly last: number;
}

interface Stores {
  readonly pipelines: PipelineStore;
  readonly exporters: ExporterStore;
  readonly ledgers: LedgerCatalogue;
}

/** The use cases of pipelines. */
export class PipelineService {
  readonly #context: ServiceContext;
  readonly #env: Env;
  readonly #stores: Stores;
  readonly #reconciler: PipelineReconciler;

  constructor(context: ServiceContext, stores: Stores) {
    this.#context = context;
    this.#env = context.env;
    this.#stores = stores;
    this.#reconciler = reconcilerOf(context.env, stores.pipelines);
  }

  static from(context: ServiceContext): PipelineService {
    const { env } = context;
    return new PipelineService(context, {
      pipelines: PipelineStore.from(env),
      exporters: ExporterStore.from(env),
      ledgers: LedgerCatalogue.from(env),
    });
  }

  /** All pipelines of a ledger, oldest first. Throws `LEDGER_NOT_FOUND`. */
  async list(ledger: string): Promise<RunningPipeline[]> {
    await this.#assertLedger(ledger);
    const found = await this.#stores.pipelines.list(ledger);
    return Promise.all(found.map((pipeline) => this.#listed(pipeline)));
  }

  /** Reads a pipeline with its progress. Throws `LEDGER_NOT_FOUND` or `NOT_FOUND`. */
  async get(target: PipelineTarget): Promise<RunningPipeline> {
    await this.#assertLedger(target.ledger);
    const found = await this.#stores.pipelines.find(target);
    if (found === undefined) throw unknownPipeline(target);
    return this.#withProgress(found);
  }

  /** The pipelines that `list` gives, with the extent of the ledger's log. */
  async listMeasured(ledger: string): Promise<MeasuredPipeline[]> {
    const found = await this.list(ledger);
    if (found.length === 0) return [];
    const logIds = await this.#logIdsOf(ledger);
    return found.map((pipeline) => ({ ...pipeline, logIds }));
  }

  /** The pipeline that `get` gives, with the extent of the ledger's log. */
  async getMeasured(target: PipelineTarget): Promise<MeasuredPipeline> {
    const found = await this.get(target);
    return { ...found, logIds: await this.#logIdsOf(target.ledger) };
  }

  /** Creates a pipeline and starts it. Throws `LEDGER_NOT_FOUND`, `NOT_FOUND` for the exporter, or `VALIDATION`. */
  async create(way: { readonly ledger: string; readonly exporterId: string }): Promise<Pipeline> {
    const { ledger, exporterId } = way;
    await this.#assertLedger(ledger);
    const existing = await this.#stores.pipelines.list(ledger);
    const isTaken = existing.some((pipeline) => pipeline.exporterId === exporterId);
    if (!isTaken && existing.length >= PIPELINES_PER_LEDGER_MAX) {
      throw new AppError(
        "VALIDATION",
        `ledger '${ledger}' already has ${existing.length} pipelines, and no more are allowed`,
      );
    }
    const id = newId();
    const { pipelines } = this.#stores;
    const change = this.#changeOf("create", { ledger, id });
    const isMade = await this.#reconciler.change(() => pipelines.insert(id, way, change));
    if (!isMade) throw await this.#refusal(way);
    await this.#reconciler.settle({ ...requestLimits(), scope: whereId(id) });
    return { id, ledger, exporterId, enabled: true, resets: 0, createdAt: change.now };
  }

  /** Starts a pipeline. Throws `LEDGER_NOT_FOUND`, `NOT_FOUND`, or `VALIDATION` where the pipeline is started already. */
  async start(target: PipelineTarget): Promise<void> {
    const { id } = target;
    const change = this.#changeOf("start", target);
    const enable = (pipelines: PipelineStore) => pipelines.setEnabled(target, true, change);
    if (await this.#change(target, enable)) return;
    if ((await this.#stores.pipelines.find(target)) === undefined) throw unknownPipeline(target);
    throw new AppError("VALIDATION", `pipeline '${id}' already started`);
  }

  /**
   * Stops a pipeline. Entries that are being sent may still be accepted. Throws `LEDGER_NOT_FOUND`, and `NOT_FOUND` also where the pipeline
   * is stopped already.
   */
  async stop(target: PipelineTarget): Promise<void> {
    const change = this.#changeOf("stop", target);
    const disable = (pipelines: PipelineStore) => pipelines.setEnabled(target, false, change);
    if (await this.#change(target, disable)) return;
    throw unknownPipeline(target);
  }

  /** Lets a pipeline send all entries again, and starts it if it is stopped. Throws `LEDGER_NOT_FOUND` or `NOT_FOUND`. */
  async reset(target: PipelineTarget): Promise<void> {
    const change = this.#changeOf("reset", target);
    if (await this.#change(target, (pipelines) => pipelines.reset(target, change))) return;
    throw unknownPipeline(target);
  }

  /** Deletes a pipeline. Throws `LEDGER_NOT_FOUND` or `NOT_FOUND`. */
  async remove(target: PipelineTarget): Promise<void> {
    const change = this.#changeOf("delete", target);
    if (await this.#change(target, (pipelines) => pipelines.remove(target, change))) return;
    throw unknownPipeline(target);
  }

  /** Deletes all pipelines of a ledger, which may itself be deleted. Returns whether all objects of the pipelines have been told. */
  async removeAllOf(ledger: LedgerIdentity): Promise<boolean> {
    const { pipelines } = this.#stores;
    const scope = whereLedger(ledger.name);
    if ((await pipelines.list(ledger.name)).length > 0) {
      const now = systemClock();
      const change = new AuditedChange(this.#context, {
        action: "exporters.pipeline.delete",
        object: removedObjects(scope, now),
      });
      await this.#reconciler.change(() => pipelines.removeAllOf(ledger, { now, change }));
    }
    return this.#reconciler.settle({ ...purgeLimits(), scope });
  }

  /** Wakes the pipelines of ledgers that have new entries. After this, each pipeline has stored an alarm, or the sweep will wake it. */
  async wake(lastLogIds: ReadonlyMap<string, number | undefined>): Promise<void> {
    if (lastLogIds.size === 0 || !exporterSettings.of(this.#env).FLORIN_EXPORTERS) return;
    const enabled = await this.#stores.pipelines.listEnabled([...lastLogIds.keys()]);
    await this.#leaveToSweep(enabled.slice(WAKES_MAX));
    const reason = new Error(`the pipelines were not all woken within ${WAKE_MS_MAX} ms`);
    const results = await withDeadline({ afterMs: WAKE_MS_MAX, reason }, (signal) =>
      settleAll(enabled.slice(0, WAKES_MAX), {
        limits: WAKE_LANES,
        keyOf: ({ ledger }) => ledger,
        run: ({ id, ledger }) =>
          objectAt(this.#env, this.#env.PIPELINES, id).wake(lastLogIds.get(ledger)),
        signal,
      }),
    );
    const failed = results.filter(({ error }) => error !== undefined);
    for (const { item, error } of failed) {
      const { id: pipeline, ledger } = item;
      logError("a pipeline could not be woken; the sweep wakes it", error, { pipeline, ledger });
    }
    await this.#leaveToSweep(failed.map(({ item }) => item));
  }

  /** Lets the pipelines of all live ledgers of a bucket look for new entries at once. */
  async resumeBucket(bucket: string): Promise<void> {
    const { pipelines } = this.#stores;
    const areThere = await this.#reconciler.change(() =>
      pipelines.touchBucket(bucket, systemClock()),
    );
    if (areThere) await this.#reconciler.settle({ ...requestLimits(), scope: whereBucket(bucket) });
  }

  /** Continues interrupted work. Returns when to sweep next, in milliseconds since the epoch. */
  async sweep(): Promise<number | undefined> {
    await this.#reconciler.run(sweepLimits());
    return this.#reconciler.nextSweepMs();
  }

  async #leaveToSweep(left: readonly Pick<Pipeline, "id">[]): Promise<void> {
    if (left.length === 0) return;
    const ids = left.map(({ id }) => id);
    await this.#reconciler.change(() => this.#stores.pipelines.touch(ids, systemClock()));
  }

  #changeOf(verb: string, { ledger, id }: PipelineTarget): DatedChange {
    const change = new AuditedChange(this.#context, {
      action: `exporters.pipeline.${verb}`,
      object: `ledgers/${ledger}/pipelines/${id}`,
    });
    return { now: systemClock(), change };
  }

  /** Changes a pipeline of a ledger that exists, and tells the pipeline's object. Returns false where there was nothing to change. */
  async #change(
    { ledger, id }: PipelineTarget,
    change: (pipelines: PipelineStore) => Promise<boolean>,
  ): Promise<boolean> {
    await this.#assertLedger(ledger);
    const isChanged = await this.#reconciler.change(() => change(this.#stores.pipelines));
    if (isChanged) await this.#reconciler.settle({ ...requestLimits(), scope: whereId(id) });
    return isChanged;
  }

  /** Why a pipeline could not be created. */
  async #refusal({
    ledger,
    exporterId,
  }: {
    ledger: string;
    exporterId: string;
  }): Promise<AppError> {
    await this.#assertLedger(ledger);
    const exporter = await this.#stores.exporters.find(exporterId);
    if (exporter === undefined) return unknownExporter(exporterId);
    return new AppError("VALIDATION", `pipeline '${ledger}/${exporterId}' already exists`);
  }

  async #assertLedger(name: string): Promise<void> {
    if ((await this.#stores.ledgers.find(name)) !== undefined) return;
    throw new AppError("LEDGER_NOT_FOUND", "ledger not found");
  }

  /** Adds the progress to a pipeline. Progress from before the latest reset does not count. */
  async #withProgress(pipeline: Pipeline): Promise<RunningPipeline> {
    const object = objectAt(this.#env, this.#env.PIPELINES, pipeline.id);
    const read = await reachObject(object.progress(), PROGRESS_OF_PIPELINE);
    const progress = read?.resets === pipeline.resets ? read : undefined;
    return { ...pipeline, progress, failure: progress?.failure };
  }

  /** Adds the progress to a pipeline of a list. A pipeline that does not answer must not hide the others. */
  async #listed(pipeline: Pipeline): Promise<RunningPipeline> {
    try {
      return await this.#withProgress(pipeline);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      logError("a pipeline is listed without its progress", error, { pipeline: pipeline.id });
      const nowMs = Date.now();
      const failure = { count: 1, sinceMs: nowMs, lastMs: nowMs, message: error.message };
      return { ...pipeline, progress: undefined, failure };
    }
  }

  /** The first and the last id of a log. A page of the export names its last entry and the last entry of the log. */
  async #logIdsOf(ledger: string): Promise<LogIds | undefined> {
    const object = objectAt(this.#env, this.#env.LEDGERS, ledger);
    const page = await callObject(object.read({ name: "exportLogs", args: [-1, undefined, 1] }), {
      object: "ledger",
      isRepeatable: true,
    });
    const { text, after, to } = page as LogTextPage; // the type of the read `exportLogs`
    return text === "" ? undefined : { first: after, last: to };
  }
}

const unknownPipeline = ({ id }: PipelineTarget): AppError =>
  new AppError("NOT_FOUND", `pipeline '${id}' not found`);

/** Deletes the pipelines of a ledger that is purged. Returns whether all their objects have been told. May be repeated. */
export const deletePipelinesOf = (
  context: ServiceContext,
  ledger: LedgerIdentity,
): Promise<boolean> => PipelineService.from(context).removeAllOf(ledger);

/**
 * Wakes the pipelines of a ledger for entries that publish no events. Never throws: the write has already happened, and the pipelines poll
 * the ledger later anyway.
 */
export async function wakePipelinesOf(context: ServiceContext, ledger: string): Promise<void> {
  try {
    await PipelineService.from(context).wake(new Map([[ledger, undefined]]));
  } catch (error) {
    logError("the pipelines of a ledger could not be woken; they poll the ledger later", error, {
      ledger,
    });
  }
}

/** Wakes the pipelines of a bucket whose ledgers were restored. Never throws: the pipelines poll their ledgers later anyway. */
export async function resumePipelinesOf(context: ServiceContext, bucket: string): Promise<void> {
  try {
    await PipelineService.from(context).resumeBucket(bucket);
  } catch (error) {
    logError(
      "the pipelines of a bucket could not be resumed; they poll their ledgers later",
      error,
      { bucket },
    );
  }
}
