import type { Revoked } from "./revoke.ts";
import { retryFirstRead } from "#modules/auth/retry-first-read.ts";
import { log } from "#platform/log.ts";

/** A revocation in the memory of an isolate. */
export interface KnownRevocation extends Revoked {
  readonly id: number;
  /** When the revocation was made, in seconds since the epoch. */
  readonly revokedAt: number;
  readonly expiresMs: number;
}

/** The claims of a token that revocations refer to. */
export interface RevocableToken {
  readonly clientId: string;
  readonly subject: string;
  readonly grantId: string | undefined;
  readonly tokenId: string | undefined;
  /** When the token was issued, in seconds since the epoch. */
  readonly issuedAt: number;
}

export interface RevocationListOptions {
  /** Reads the revocations with a larger id, in the order of their ids. */
  readonly load: (afterId: number) => Promise<readonly KnownRevocation[]>;
  /** The time, in milliseconds since the epoch. */
  readonly nowMs: () => number;
}

/** How often an isolate reads new revocations, in milliseconds. */
export const REFRESH_MS = 30_000;
/** Age of the list, in milliseconds, up to which requests use it while another request of the isolate reads. */
const AGE_MS_MAX = 45_000;
/** How long a request waits for the first read, in milliseconds. Without it no token is accepted. */
const FIRST_LOAD_MS_MAX = 10_000;
/** How long a request waits for a later read, in milliseconds. After it the isolate uses the list that it has. */
const LOAD_MS_MAX = 2000;
/** How long an isolate waits before it reads again after a read that failed, in milliseconds. */
const RETRY_MS = 2000;

/**
 * The revocations in the memory of an isolate, which reads only new ones. One request every 30 seconds waits for a read; all
 * others compare a time. An isolate that cannot read uses the list that it has.
 */
export class RevocationList {
  readonly #options: RevocationListOptions;
  readonly #known = new Map<string, KnownRevocation>();
  /** The last revocation of the last read; undefined if there was none. */
  #last: KnownRevocation | undefined;
  #loadedMs = Number.NEGATIVE_INFINITY;
  #startedMs = Number.NEGATIVE_INFINITY;
  #hasLoaded = false;

  constructor(options: RevocationListOptions) {
    this.#options = options;
  }

  /** Whether a request has to read new revocations first. */
  isDue(nowMs: number): boolean {
    // The absolute value, because the machine's clock may have been set back.
    const ageMs = Math.abs(nowMs - this.#loadedMs);
    if (ageMs < REFRESH_MS) return false;
    const isLoading = Math.abs(nowMs - this.#startedMs) < RETRY_MS;
    return !isLoading || ageMs > AGE_MS_MAX;
  }

  /**
   * Reads new revocations. Returns whether there were any. Throws if the first read fails. Each request reads for itself: if it
   * waited for the read of another request, it would hang when that request is cancelled.
   */
  async refresh(): Promise<boolean> {
    const nowMs = this.#options.nowMs();
    this.#startedMs = nowMs;
    try {
      const loaded = this.#hasLoaded
        ? await within(LOAD_MS_MAX, this.#load())
        : await within(
            FIRST_LOAD_MS_MAX,
            retryFirstRead(() => this.#load()),
          );
      const found = loaded.filter((one) => !this.#isKnown(one));
      for (const revocation of found) this.#add(revocation);
      this.#last = loaded.at(-1);
      this.#forget(nowMs);
      this.#loadedMs = nowMs;
      this.#hasLoaded = true;
      return found.length > 0;
    } catch (error) {
      if (!this.#hasLoaded) throw error;
      log("warn", "no revocations loaded", {
        error: error instanceof Error ? error.message : String(error),
      });
      this.#loadedMs = nowMs - REFRESH_MS + RETRY_MS;
      return false;
    }
  }

  isRevoked(token: RevocableToken): boolean {
    if (this.#known.size === 0) return false;
    return (
      this.#concerns({ kind: "client", value: token.clientId }, token) ||
      this.#concerns({ kind: "subject", value: token.subject }, token) ||
      this.#known.has(keyOf({ kind: "grant", value: token.grantId ?? "" })) ||
      this.#known.has(keyOf({ kind: "token", value: token.tokenId ?? "" }))
    );
  }

  /**
   * Reads the last known revocation and those after it. If another revocation has its id now, or none has, the row was purged, or
   * the database was restored to an earlier time. Ids may then have been used again, so all revocations are read. Known
   * revocations stay valid.
   */
  async #load(): Promise<readonly KnownRevocation[]> {
    const last = this.#last;
    if (last === undefined) return this.#options.load(0);
    const following = await this.#options.load(last.id - 1);
    const isContinued = following.some((one) => isSame(one, last));
    return isContinued ? following : this.#options.load(0);
  }

  #isKnown(revocation: KnownRevocation): boolean {
    const known = this.#known.get(keyOf(revocation));
    return (
      known !== undefined &&
      known.revokedAt >= revocation.revokedAt &&
      known.expiresMs >= revocation.expiresMs
    );
  }

  /**
   * Whether a token of a client or a person is revoked. Tokens that were issued after the revocation are valid, because the
   * client or the person may have been added again.
   */
  #concerns(revoked: Revoked, { issuedAt }: RevocableToken): boolean {
    const known = this.#known.get(keyOf(revoked));
    return known !== undefined && issuedAt <= known.revokedAt;
  }

  /** Keeps the latest of several revocations with one key, because it includes all tokens of the others. */
  #add(revocation: KnownRevocation): void {
    const known = this.#known.get(keyOf(revocation));
    if (known === undefined || known.revokedAt <= revocation.revokedAt) {
      this.#known.set(keyOf(revocation), revocation);
    }
  }

  #forget(nowMs: number): void {
    for (const [key, { expiresMs }] of this.#known) {
      if (expiresMs <= nowMs) this.#known.delete(key);
    }
  }
}

/** Rejects after a time, so that no request waits for a database that hangs. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const isSame = (a: KnownRevocation, b: KnownRevocation): boolean =>
  a.id === b.id && keyOf(a) === keyOf(b) && a.revokedAt === b.revokedAt;

const keyOf = ({ kind, value }: Revoked): string => `${kind}:${value}`;
