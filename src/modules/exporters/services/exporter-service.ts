import { type DriverContext, driverContextOf } from "#modules/exporters/drivers/driver.ts";
import {
  type ExporterInput,
  type ExporterSetup,
  restoreMaskedSecrets,
  maskSecrets,
  parseSetup,
} from "#modules/exporters/store/exporter-config.ts";
import {
  type Exporter,
  ExporterStore,
  type StoredExporter,
} from "#modules/exporters/store/exporter-store.ts";
import {
  whereExporter,
  PipelineStore,
  removedObjects,
} from "#modules/exporters/store/pipeline-store.ts";
import {
  type PipelineReconciler,
  reconcilerOf,
  requestLimits,
} from "#modules/exporters/store/reconciler.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { systemClock } from "#platform/clock.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";

/** Most exporters of a deployment, because a list of exporters is one page. */
export const EXPORTERS_MAX = 1000;
/** Most attempts of an update with which concurrent updates interfere. */
const UPDATE_ATTEMPTS_MAX = 5;

/** An exporter as clients see it: without its secrets. */
export interface ShownExporter extends Exporter {
  /** Why the exporter cannot work: its config cannot be read, and is shown empty. */
  readonly error?: string;
}

/** The use cases of exporters. This class gives secrets to no one but their destination. */
export class ExporterService {
  readonly #exporters: ExporterStore;
  readonly #reconciler: PipelineReconciler;
  readonly #caller: ServiceContext;
  readonly #context: DriverContext;

  constructor(exporters: ExporterStore, reconciler: PipelineReconciler, caller: ServiceContext) {
    this.#exporters = exporters;
    this.#reconciler = reconciler;
    this.#caller = caller;
    this.#context = driverContextOf(caller.env);
  }

  static from(context: ServiceContext): ExporterService {
    const { env } = context;
    const reconciler = reconcilerOf(env, PipelineStore.from(env));
    return new ExporterService(ExporterStore.from(env), reconciler, context);
  }

  async list(): Promise<ShownExporter[]> {
    return (await this.#exporters.list()).map(toShown);
  }

  /** Reads an exporter. Throws `NOT_FOUND`. */
  async get(id: string): Promise<ShownExporter> {
    const exporter = await this.#exporters.find(id);
    if (exporter === undefined) throw unknownExporter(id);
    return toShown(exporter);
  }

  /** Creates an exporter. Throws `VALIDATION`. */
  async create(input: ExporterInput): Promise<ShownExporter> {
    const setup = creating(() => restoreMaskedSecrets(parseSetup(input, this.#context), undefined));
    if ((await this.#exporters.count()) >= EXPORTERS_MAX) {
      throw new AppError(
        "VALIDATION",
        `there are already ${EXPORTERS_MAX} exporters, and no more are allowed`,
      );
    }
    const exporter = { ...setup, id: newId(), createdAt: systemClock() };
    await this.#exporters.insert(exporter, this.#audited("create", exporter.id));
    return toShown(exporter);
  }

  /**
   * Replaces the driver and the config of an exporter. Its pipelines go on with the new ones from their positions. Throws `VALIDATION` or
   * `NOT_FOUND`.
   */
  async update(id: string, input: ExporterInput): Promise<void> {
    const setup = parseSetup(input, this.#context);
    await this.#reconciler.change(() => this.#replace(id, setup));
    await this.#reconciler.settle({ ...requestLimits(), scope: whereExporter(id) });
  }

  /** Deletes an exporter with its pipelines. Throws `NOT_FOUND`. */
  async remove(id: string): Promise<void> {
    const [now, scope] = [systemClock(), whereExporter(id)];
    const change = this.#audited("delete", id);
    const ofPipelines = new AuditedChange(this.#caller, {
      action: "exporters.pipeline.delete",
      object: removedObjects(scope, now),
    });
    const removal = { now, change, ofPipelines };
    const isRemoved = await this.#reconciler.change(() => this.#exporters.remove(id, removal));
    if (!isRemoved) throw unknownExporter(id);
    await this.#reconciler.settle({ ...requestLimits(), scope });
  }

  #audited(verb: string, id: string): AuditedChange {
    const action = { action: `exporters.exporter.${verb}`, object: `exporters/${id}` };
    return new AuditedChange(this.#caller, action);
  }

  async #replace(id: string, setup: ExporterSetup): Promise<void> {
    for (let attempt = 0; attempt < UPDATE_ATTEMPTS_MAX; attempt++) {
      const stored = await this.#exporters.find(id);
      if (stored === undefined) throw unknownExporter(id);
      const kept = restoreMaskedSecrets(setup, setupOf(stored));
      const change = { now: systemClock(), change: this.#audited("update", id) };
      if (await this.#exporters.replace(stored, kept, change)) return;
    }
    throw new AppError("OVERLOADED", `exporter '${id}' is being changed by another request`);
  }
}

export const unknownExporter = (id: string): AppError =>
  new AppError("NOT_FOUND", `exporter '${id}' not found`);

/** The setup of a stored exporter; undefined where the config cannot be decrypted. */
function setupOf({ driver, config }: Pick<StoredExporter, "driver" | "config">) {
  return config === undefined ? undefined : { driver, config };
}

/** The error of an exporter whose config cannot be decrypted, and what brings the config back. */
const UNREADABLE =
  "the stored config can't be decrypted; see the logs of the server. Put its key into FLORIN_PREVIOUS_SECRET_KEYS, or send a new config";

function toShown({ id, driver, config, createdAt }: Omit<StoredExporter, "seal">): ShownExporter {
  const setup = setupOf({ driver, config });
  return setup === undefined
    ? { id, driver, config: {}, createdAt, error: UNREADABLE }
    : { id, driver, config: maskSecrets(setup), createdAt };
}

/** Adds to the message of a refusal what was refused, as the reference does. */
function creating<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { kind, message, details } = error;
    throw new AppError(kind, `failed to create exporter: ${message}`, {
      cause: error,
      ...(details === undefined ? {} : { details }),
    });
  }
}
