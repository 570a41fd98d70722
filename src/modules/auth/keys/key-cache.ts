import { retryFirstRead } from "#modules/auth/retry-first-read.ts";
import { log } from "#platform/log.ts";

/** A key that verifies tokens. Its issuer may have given it no id. */
export interface VerificationKey {
  readonly kid?: string;
  readonly key: CryptoKey;
}

export interface KeyCacheOptions {
  /** The issuer, as the log names it. */
  readonly issuer: string;
  readonly load: () => Promise<readonly VerificationKey[]>;
  /** The time, in milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** Shortest time between two loads that tokens with unknown keys cause, in milliseconds. */
  readonly pauseMs: number;
  /** Most loads at once; without it, each request that needs a load makes one. */
  readonly loadsMax?: number;
  /** Whether the first load is repeated after failures, which suits a database that is near and answers soon. */
  readonly isPersistent?: boolean;
}

/** Time after which a load counts as over, in milliseconds. The request that made it may have been cancelled, which nothing reports. */
const LOAD_MS_MAX = 15_000;

/** Age at which keys are loaded again, in milliseconds, so that a key that its issuer has withdrawn is no longer trusted. */
const KEYS_AGE_MS_MAX = 10 * 60_000;

/**
 * The verification keys of one issuer, in the memory of an isolate. They are loaded at the first use, when they are old, and when
 * a token names an unknown key. After a load, unknown keys cause no other load for a while.
 *
 * Each request loads for itself. If it waited for the load of another request, it would hang when that request is cancelled.
 */
export class KeyCache {
  readonly #options: KeyCacheOptions;
  #keys: readonly VerificationKey[] | undefined;
  #failure = new Error("no keys were loaded");
  /** Whether the last load has failed, so that an unknown key may exist nevertheless. */
  #hasFailed = false;
  #loadedMs = Number.NEGATIVE_INFINITY;
  /** Start times of the loads that are under way. */
  #startsMs: readonly number[] = [];
  /** Number of loads so far, and the number of the load that has given the present keys. */
  #begun = 0;
  #answered = 0;

  constructor(options: KeyCacheOptions) {
    this.#options = options;
  }

  /** Loads the first keys if there are none. Never throws: `find` throws the error. */
  async prepare(): Promise<void> {
    const nowMs = this.#options.nowMs();
    const ageMs = Math.abs(nowMs - this.#loadedMs);
    if (this.#keys !== undefined || ageMs < this.#options.pauseMs) return;
    if (this.#mayLoad(nowMs, false)) await this.#load(nowMs);
  }

  /**
   * The key with an id; undefined if the issuer has none. Without an id, the only key of an issuer that has one. Throws if the
   * key is unknown and the keys cannot be loaded.
   */
  async find(kid: string | undefined): Promise<CryptoKey | undefined> {
    // The absolute value, because the machine's clock may have been set back.
    const nowMs = this.#options.nowMs();
    const ageMs = Math.abs(nowMs - this.#loadedMs);
    const isKnown = this.#match(kid) !== undefined;
    const isGood = isKnown && ageMs < KEYS_AGE_MS_MAX;
    if (!isGood && ageMs >= this.#options.pauseMs && this.#mayLoad(nowMs, isKnown)) {
      await this.#load(nowMs);
    }
    const key = this.#match(kid);
    if (key === undefined && (this.#keys === undefined || this.#hasFailed)) throw this.#failure;
    return key;
  }

  #match(kid: string | undefined): CryptoKey | undefined {
    const keys = this.#keys ?? [];
    if (kid !== undefined) return keys.find((known) => known.kid === kid)?.key;
    return keys.length === 1 ? keys[0]?.key : undefined;
  }

  /** Whether a request may load. One request at a time renews old keys while others use them, so that an issuer that hangs holds up no others. */
  #mayLoad(nowMs: number, isKnown: boolean): boolean {
    this.#startsMs = this.#startsMs.filter((at) => Math.abs(nowMs - at) < LOAD_MS_MAX);
    return this.#startsMs.length < (isKnown ? 1 : (this.#options.loadsMax ?? Infinity));
  }

  /** Loads keys. Keys that were loaded before stay in use if the issuer does not answer. */
  async #load(startMs: number): Promise<void> {
    this.#startsMs = [...this.#startsMs, startMs];
    const number = ++this.#begun;
    const { isPersistent = false, load } = this.#options;
    const isFirst = this.#keys === undefined;
    try {
      const keys = await (isPersistent && isFirst ? retryFirstRead(load) : load());
      // The answer of an earlier load may lack a new key, so it does not replace that of a later one.
      if (number > this.#answered) this.#keys = keys;
      this.#answered = Math.max(this.#answered, number);
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      this.#failure = error instanceof Error ? error : new Error(String(error));
      log("warn", "no keys loaded", {
        issuer: this.#options.issuer,
        error: this.#failure.message,
      });
    }
    this.#loadedMs = this.#options.nowMs();
    this.#startsMs = this.#startsMs.toSpliced(this.#startsMs.indexOf(startMs), 1);
  }
}
