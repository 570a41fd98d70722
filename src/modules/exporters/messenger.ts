import type { PipelineStore } from "./pipeline-store.ts";
import { exporterSettings } from "./settings.ts";
import { logError } from "#platform/log.ts";
import { armClock, watchClock } from "#platform/objects/deployment-clock.ts";
import { settleAll } from "#platform/work/lanes.ts";

type TellEnv = Pick<Env, "PIPELINES" | "CLOCK">;

/** How the objects of pipelines are called: side by side, and none is waited for longer than this. */
export const OBJECT_LANES = { total: 6, perKey: 1, timeoutMs: 10_000 };
/** Most objects that one request calls; the sweep goes on. */
const CALLS_PER_REQUEST_MAX = 60;
/** Most objects that one sweep calls, and when the next one follows where there were so many. */
const CALLS_PER_SWEEP_MAX = 300;
const SWEEP_PAUSE_MS = 1000;
/** Longest time that storing a change may take, in milliseconds: D1 gives up after 30 seconds. */
const CHANGE_MS_MAX = 35_000;

/**
 * Lets the objects of pipelines know what has changed in D1. The clock watches from before the change on, so that the sweep
 * tells what a crash leaves untold.
 */
export class Messenger {
  readonly #env: TellEnv;
  readonly #store: PipelineStore;

  constructor(env: TellEnv, store: PipelineStore) {
    this.#env = env;
    this.#store = store;
  }

  /** Before a change. */
  async watch(): Promise<void> {
    await watchClock(this.#env, Date.now() + CHANGE_MS_MAX);
  }

  /** After a change of one pipeline. */
  async tell(id: string): Promise<void> {
    await this.#tellAll([id]);
  }

  /** After a change of many; returns whether all of them know of it. */
  async tellUntold(of: {
    readonly exporterId?: string;
    readonly ledger?: string;
  }): Promise<boolean> {
    const ids = await this.#store.listUntold(CALLS_PER_REQUEST_MAX, of);
    const areTold = await this.#tellAll(ids);
    if (ids.length < CALLS_PER_REQUEST_MAX) return areTold;
    await armClock(this.#env, Date.now() + SWEEP_PAUSE_MS);
    return false;
  }

  /** Tells what is untold, and returns when to look again, in milliseconds since the epoch; nothing when all is told. */
  async sweep(): Promise<number | undefined> {
    const ids = await this.#store.listUntold(CALLS_PER_SWEEP_MAX);
    await this.#tellAll(ids);
    const [left] = ids.length === 0 ? [] : await this.#store.listUntold(1);
    if (left === undefined) return undefined;
    const { FLORIN_PIPELINE_SYNC_PERIOD: periodMs } = exporterSettings.of(this.#env);
    return Date.now() + (ids.length < CALLS_PER_SWEEP_MAX ? periodMs : SWEEP_PAUSE_MS);
  }

  /** An object that can't be reached stays untold. Returns whether all were reached. */
  async #tellAll(ids: readonly string[]): Promise<boolean> {
    const results = await settleAll(ids, {
      limits: OBJECT_LANES,
      keyOf: (id) => id,
      run: (id) => this.#env.PIPELINES.getByName(id).refresh(),
    });
    const failed = results.filter(({ error }) => error !== undefined);
    for (const { item: pipeline, error } of failed) {
      logError("a pipeline was not told of a change; the sweep repeats it", error, { pipeline });
    }
    return failed.length === 0;
  }
}
