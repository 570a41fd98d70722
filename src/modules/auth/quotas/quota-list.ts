import type { Quota } from "#modules/auth/core/quota.ts";
import { stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { withDeadline } from "#platform/work/deadline.ts";

/** How often an isolate reads the quotas, in milliseconds. */
const REFRESH_MS = 15_000;
/** How long a request waits for a read, in milliseconds. After it the isolate uses the list that it has. */
const LOAD_MS_MAX = 2000;
/** How long an isolate waits before it reads again after a read that failed or hangs, in milliseconds. */
const RETRY_MS = 2000;

export interface QuotaListOptions {
  readonly load: () => Promise<ReadonlyMap<string, Quota>>;
  /** The time, in milliseconds since the epoch. */
  readonly nowMs: () => number;
}

/**
 * The clients' own quotas in the memory of an isolate. One request every 15 seconds waits for a read, and all others compare a time. If the
 * database does not answer, the isolate goes on with the list that it has; before the first answer, no client has a quota of its own.
 */
export class QuotaList {
  readonly #options: QuotaListOptions;
  #quotas: ReadonlyMap<string, Quota> = new Map();
  #loadedMs = Number.NEGATIVE_INFINITY;
  #startedMs = Number.NEGATIVE_INFINITY;
  #hasLoaded = false;
  /** Counts the calls of `forget`. */
  #changes = 0;

  constructor(options: QuotaListOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#quotas.size === 0;
  }

  find(clientId: string): Quota | undefined {
    return this.#quotas.get(clientId);
  }

  /** Whether a request has to read first. The absolute values also cover a clock that was set back. */
  isDue(nowMs: number): boolean {
    if (Math.abs(nowMs - this.#loadedMs) < REFRESH_MS) return false;
    // Until the first answer, each request reads for itself: one that waited for another request would hang if that one was broken off.
    return !this.#hasLoaded || Math.abs(nowMs - this.#startedMs) >= RETRY_MS;
  }

  /** Reads the quotas. Never throws. */
  async refresh(): Promise<void> {
    this.#startedMs = this.#options.nowMs();
    const changes = this.#changes;
    try {
      const late = new Error(`the quotas could not be read within ${LOAD_MS_MAX} ms`);
      const loaded = await withDeadline({ afterMs: LOAD_MS_MAX, reason: late }, (signal) =>
        Promise.race([this.#options.load(), aborted(signal)]),
      );
      this.#quotas = new Map([...loaded].map(([id, quota]) => [id, this.#sameAs(id, quota)]));
      // A list that was read while this isolate changed a quota may lack the change: the next request reads again.
      if (changes === this.#changes) this.#loadedMs = this.#options.nowMs();
    } catch (error) {
      logError("the quotas of clients could not be read", error);
    }
    this.#hasLoaded = true;
  }

  /** The quota as it is known, if it has not changed: what an isolate holds of a client belongs to the known object. */
  #sameAs(id: string, quota: Quota): Quota {
    const known = this.#quotas.get(id);
    return known !== undefined && stringifyJson(known) === stringifyJson(quota) ? known : quota;
  }

  /** Makes the next request read, because this isolate has changed a quota. */
  forget(): void {
    this.#changes += 1;
    this.#loadedMs = Number.NEGATIVE_INFINITY;
    this.#startedMs = Number.NEGATIVE_INFINITY;
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
