import type { Revoked } from "./revoke.ts";
import { persistently } from "#modules/auth/persistently.ts";
import { log } from "#platform/log.ts";

/** A revocation as an isolate knows it. */
export interface KnownRevocation extends Revoked {
  readonly id: number;
  /** In seconds since the epoch. */
  readonly revokedAt: number;
  readonly expiresMs: number;
}

/** What a token says that revocations are about. */
export interface RevocableToken {
  readonly clientId: string;
  readonly subject: string;
  readonly grantId: string | undefined;
  readonly tokenId: string | undefined;
  /** In seconds since the epoch. */
  readonly issuedAt: number;
}

export interface RevocationListOptions {
  /** The revocations that were stored after one of that id, in the order of their ids. */
  readonly load: (afterId: number) => Promise<readonly KnownRevocation[]>;
  /** The time, in milliseconds since the epoch. */
  readonly nowMs: () => number;
}

/** How often an isolate looks for new revocations, in milliseconds. */
export const REFRESH_MS = 30_000;
/** How old what an isolate knows may be while another request of it looks, in milliseconds. */
const AGE_MS_MAX = 45_000;
/** How long a request waits for the first list, without which no token is accepted, in milliseconds. */
const FIRST_LOAD_MS_MAX = 10_000;
/** How long a request waits for what is new, in milliseconds: the isolate goes on with what it knows after that. */
const LOAD_MS_MAX = 2000;
/** When it looks again after the database has not answered, in milliseconds. */
const RETRY_MS = 2000;

/**
 * The revocations, in the memory of an isolate, which reads only what is new. One request every 30 seconds waits for it; all
 * others compare a time. An isolate that cannot read goes on with what it knows.
 */
export class RevocationList {
  readonly #options: RevocationListOptions;
  readonly #known = new Map<string, KnownRevocation>();
  /** The last one that was read; undefined where there was none. */
  #last: KnownRevocation | undefined;
  #loadedMs = Number.NEGATIVE_INFINITY;
  #startedMs = Number.NEGATIVE_INFINITY;
  #hasLoaded = false;

  constructor(options: RevocationListOptions) {
    this.#options = options;
  }

  /** Whether it is time to look for new ones. */
  isDue(nowMs: number): boolean {
    // Much time lies between the two as well where the machine's clock was set back.
    const ageMs = Math.abs(nowMs - this.#loadedMs);
    if (ageMs < REFRESH_MS) return false;
    const isLoading = Math.abs(nowMs - this.#startedMs) < RETRY_MS;
    return !isLoading || ageMs > AGE_MS_MAX;
  }

  /**
   * Reads what is new. Returns whether there was anything. Each request reads for itself: if it waited for a read of another
   * request, it would hang when that one is cancelled.
   */
  async refresh(): Promise<boolean> {
    const nowMs = this.#options.nowMs();
    this.#startedMs = nowMs;
    try {
      const loaded = this.#hasLoaded
        ? await within(LOAD_MS_MAX, this.#load())
        : await within(
            FIRST_LOAD_MS_MAX,
            persistently(() => this.#load()),
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
   * The last revocation that was read, and those after it. Where another one has its id now, or none has, the database was taken
   * back to an earlier time or has purged it. Ids may have come again then, so that all are read. What was revoked stays so.
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

  /** A client or a person may come back: what they get later is good. */
  #concerns(revoked: Revoked, { issuedAt }: RevocableToken): boolean {
    const known = this.#known.get(keyOf(revoked));
    return known !== undefined && issuedAt <= known.revokedAt;
  }

  /** Of several revocations of one thing the last one concerns all tokens that the others do. */
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

/** Gives up on what takes too long, so that no request waits for a database that hangs. */
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
