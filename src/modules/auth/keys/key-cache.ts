import { persistently } from "#modules/auth/persistently.ts";
import { log } from "#platform/log.ts";

/** A key that verifies. Its issuer may have given it no id. */
export interface VerificationKey {
  readonly kid?: string;
  readonly key: CryptoKey;
}

export interface KeyCacheOptions {
  /** Whose keys these are. */
  readonly issuer: string;
  readonly load: () => Promise<readonly VerificationKey[]>;
  /** The time, in milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** Shortest time between two loads that tokens with unknown keys cause, in milliseconds. */
  readonly pauseMs: number;
  /** Most loads at once; without it, each request that needs one loads. */
  readonly loadsMax?: number;
  /** Whether the first keys are asked for several times, as a database may be that is near and answers soon. */
  readonly isPersistent?: boolean;
}

/** After this time a load counts as over: whoever waited for it may be gone, and does not say so. In milliseconds. */
const LOAD_MS_MAX = 15_000;

/** After this time keys are loaded again, so that a key that its issuer has withdrawn is no longer trusted. */
const KEYS_AGE_MS_MAX = 10 * 60_000;

/**
 * The verification keys of one issuer, in the memory of an isolate. They are loaded at the first use, when they are
 * old, and when a token names a key that is not among them; after a load, tokens can't cause another one for a while.
 *
 * Each request loads for itself: if it waited for a load of another request, it would hang when that one is cancelled.
 */
export class KeyCache {
  readonly #options: KeyCacheOptions;
  #keys: readonly VerificationKey[] | undefined;
  #failure = new Error("no keys were loaded");
  /** Whether the last load has failed, so that a key that is not here may be there nevertheless. */
  #hasFailed = false;
  #loadedMs = Number.NEGATIVE_INFINITY;
  /** When the loads that are under way were begun. */
  #startsMs: readonly number[] = [];
  /** How many loads were begun, and which of them has given the keys. */
  #begun = 0;
  #answered = 0;

  constructor(options: KeyCacheOptions) {
    this.#options = options;
  }

  /** Loads the first keys, if there are none yet. Never throws: whoever looks for a key learns what went wrong. */
  async prepare(): Promise<void> {
    const nowMs = this.#options.nowMs();
    const ageMs = Math.abs(nowMs - this.#loadedMs);
    if (this.#keys !== undefined || ageMs < this.#options.pauseMs) return;
    if (this.#mayLoad(nowMs, false)) await this.#load(nowMs);
  }

  /**
   * The key of that id, or undefined where the issuer has none; without an id, the only key of the issuer. Throws when the key is not
   * known and the keys can't be loaded.
   */
  async find(kid: string | undefined): Promise<CryptoKey | undefined> {
    // Much time lies between the two as well where the machine's clock was set back.
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

  /** A key that is only old is used while one request looks for new ones, so that an issuer who hangs holds no others. */
  #mayLoad(nowMs: number, isKnown: boolean): boolean {
    this.#startsMs = this.#startsMs.filter((at) => Math.abs(nowMs - at) < LOAD_MS_MAX);
    return this.#startsMs.length < (isKnown ? 1 : (this.#options.loadsMax ?? Infinity));
  }

  /** Keys that were loaded once stay in use while their issuer does not answer. */
  async #load(startMs: number): Promise<void> {
    this.#startsMs = [...this.#startsMs, startMs];
    const number = ++this.#begun;
    const { isPersistent = false, load } = this.#options;
    const isFirst = this.#keys === undefined;
    try {
      const keys = await (isPersistent && isFirst ? persistently(load) : load());
      // An answer that was overtaken by that of a later load may lack a new key.
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
