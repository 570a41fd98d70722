import { compactVerify } from "jose";
import { issuerOf } from "./issuer.ts";
import { RememberedTokens, type VerifiedToken } from "./remembered-tokens.ts";
import {
  type Claims,
  invalidToken,
  parseToken,
  type ReadToken,
  toReadToken,
} from "./token-claims.ts";
import { baseOfIssuer, isSameIssuer } from "#modules/auth/core/issuer-url.ts";
import {
  kindOfType,
  membershipAudience,
  type MembershipKind,
  STACK_RESOURCE,
} from "#modules/auth/core/membership.ts";
import type { KeyCache } from "#modules/auth/keys/key-cache.ts";
import { TOKEN_ALGORITHM } from "#modules/auth/keys/signing-keys.ts";
import type { RevocationList } from "#modules/auth/revocations/revocation-list.ts";
import type { Principal } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { type Authenticator, allows, refusalOf, type Scope } from "#platform/http/authenticator.ts";
import { logError } from "#platform/log.ts";

/** The keys and the audiences of a trusted issuer. */
export interface IssuerTrust {
  readonly keys: KeyCache;
  /** The audiences of which its tokens must name one; if empty, the audience is not checked. */
  readonly audiences: readonly string[];
}

export interface TokenVerifierOptions {
  readonly publicUrl: string | undefined;
  readonly ownKeys: KeyCache;
  /** The trusted issuers besides this server. */
  readonly trusted: ReadonlyMap<string, IssuerTrust>;
  readonly revocations: RevocationList;
  /** The time in milliseconds since the epoch, which every request reads; a `Timestamp` would cost more. */
  readonly nowMs: () => number;
  /** Most verified tokens that are remembered. */
  readonly tokensMax: number;
}

/** Longest token that is read, in characters. */
const TOKEN_LENGTH_MAX = 16_384;
/** How tokens of an issuer are checked. Tokens of this server have to name it in their audience. */
type Trust = IssuerTrust | { readonly keys: KeyCache; readonly serverUrl: string };

/** Reads tokens that a request is about, and not those that authorise it. */
export interface TokenReader {
  /**
   * Verifies a token as if it authorised a request to `url`, after a read of new revocations. Throws `UNAUTHENTICATED`, and
   * `OVERLOADED` if the database does not answer.
   */
  read(text: string, url: string): Promise<ReadToken>;
}

/** Reads membership tokens, which authorise no request to a module. */
export interface MembershipReader {
  /** Verifies a membership token of one of these kinds; revocations are read only for a signed one. Throws as `TokenReader` does. */
  readMembership(text: string, kinds: readonly MembershipKind[], url: string): Promise<ReadToken>;
}

/**
 * Verifies bearer tokens. Other servers are called only to load the keys of their issuers. A verified token is remembered by its
 * header, because verifying a signature costs more than the rest of a small request.
 *
 *     header ─► remembered for less than 5 minutes, not expired ─────────────────────────────────┬─► scope ─► Principal
 *                 │ no, or revocations have to be read (every 30 s)                              │
 *                 ▼                                                                              │
 *               read revocations if due, forget tokens that they concern ── still remembered ────┤
 *                 │ not remembered                                                               │
 *                 ▼                                                                              │
 *               issuer ─┬─ this server: keys of `SigningKeys`; audience: its client and server   │
 *                       └─ a trusted one: keys of its `jwks_uri`; audiences of the settings      │
 *                 ▼                                                                              │
 *               signature ─► audience ─► times ─► own tokens: not revoked ─► remember it ────────┘
 *
 * A token's `kid` names the key that has signed it; without a `kid`, it is the only key of its issuer.
 */
export class TokenVerifier implements TokenReader, MembershipReader {
  readonly #options: TokenVerifierOptions;
  readonly #remembered: RememberedTokens;

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
    this.#remembered = new RememberedTokens(options.tokensMax);
  }

  readonly authenticate: Authenticator = (request, scope) => {
    const { nowMs, revocations } = this.#options;
    const header = request.headers.get("authorization");
    const now = nowMs();
    const known = revocations.isDue(now) ? undefined : this.#remembered.find(header, now);
    if (known === undefined) return this.#authenticateLater(request, scope);
    return this.#admit(known, request, scope);
  };

  /** Authenticates a request whose token is not remembered, or before which revocations have to be read. */
  async #authenticateLater(request: Request, scope: Scope): Promise<Principal> {
    const { nowMs, ownKeys, revocations } = this.#options;
    if (revocations.isDue(nowMs())) {
      // A new isolate needs both, and waits for both at once.
      await Promise.all([this.#refreshRevocations(), ownKeys.prepare()]);
    }
    const header = request.headers.get("authorization");
    const token =
      this.#remembered.find(header, nowMs()) ?? (await this.#verifyHeader(header, request.url));
    return this.#admit(token, request, scope);
  }

  /** The principal of a valid token. Throws `UNAUTHENTICATED` if the token lacks the scope, or its issuer is not trusted under this host. */
  #admit(token: VerifiedToken, request: Request, scope: Scope): Principal {
    // A remembered token may have been verified under another host, for which the server has another issuer.
    if (this.#options.publicUrl === undefined && !request.url.startsWith(token.origin)) {
      this.#trustIn(token.issuer, request.url);
    }
    if (!allows(token.principal.scopes, scope)) {
      throw refusalOf(token.principal, missingScope(scope));
    }
    return token.principal;
  }

  async read(text: string, url: string): Promise<ReadToken> {
    if (text.length > TOKEN_LENGTH_MAX) throw invalidToken("the token is too long");
    await this.#refreshRevocations();
    return (await this.#verify(text, url)).read;
  }

  async readMembership(
    text: string,
    kinds: readonly MembershipKind[],
    url: string,
  ): Promise<ReadToken> {
    if (text.length > TOKEN_LENGTH_MAX) throw invalidToken("the token is too long");
    const { publicUrl, ownKeys, revocations, nowMs } = this.#options;
    const { header, claims } = parseToken(text);
    const own = issuerOf(publicUrl, url);
    const kind = kindOfType(header.typ);
    if (kind === undefined || !kinds.includes(kind)) {
      throw invalidToken(`the token is no ${kinds.join(" or ")} token of the membership service`);
    }
    if (!isSameIssuer(claims.iss, baseOfIssuer(own))) {
      throw invalidToken("the token is of another membership service");
    }
    await assertSigned(text, await this.#findKey(ownKeys, header.kid));
    const audience = membershipAudience(own, kind);
    const isMeant = claims.aud.some((item) => isSameIssuer(item, audience));
    const isForStack = kind !== "stack" || claims.resource === STACK_RESOURCE;
    if (!isMeant || !isForStack) throw invalidToken("the token is for another audience");
    assertInTime(claims, { nowMs: nowMs(), isOwn: true });
    const read = toReadToken(claims, true);
    await this.#refreshRevocations();
    if (revocations.isRevoked(read)) throw invalidToken("the token was revoked");
    return read;
  }

  /** Reads new revocations. Remembered tokens are searched only if there are any. */
  async #refreshRevocations(): Promise<void> {
    const { revocations } = this.#options;
    const hasNew = await revocations.refresh().catch((error: unknown) => {
      throw unreadable("the list of revoked tokens", error);
    });
    if (hasNew) this.#remembered.forgetRevoked((token) => revocations.isRevoked(token));
  }

  /** Verifies the token of a header, and remembers it. */
  async #verifyHeader(header: string | null, url: string): Promise<VerifiedToken> {
    const text = readBearer(header);
    // An entry that is too old is deleted, so that the new one becomes the newest.
    const whole = header ?? "";
    this.#remembered.forget(whole);
    const token = { ...(await this.#verify(text, url)), header: whole };
    this.#remembered.add(token);
    return token;
  }

  async #verify(text: string, url: string): Promise<Omit<VerifiedToken, "header">> {
    const { header, claims } = parseToken(text);
    if (kindOfType(header.typ) !== undefined) {
      throw invalidToken("the token is one of a membership service, which no module takes");
    }
    const trust = this.#trustIn(claims.iss, url);
    await assertSigned(text, await this.#findKey(trust.keys, header.kid));
    assertAudience(claims, trust);
    const nowMs = this.#options.nowMs();
    const isOwn = "serverUrl" in trust;
    assertInTime(claims, { nowMs, isOwn });
    const read = toReadToken(claims, isOwn);
    if (read.isOwn && this.#options.revocations.isRevoked(read)) {
      throw invalidToken("the token was revoked");
    }
    return {
      read,
      issuer: claims.iss,
      origin: `${new URL(url).origin}/`,
      principal: read.principal,
      verifiedMs: nowMs,
      expiresMs: claims.exp * 1000,
    };
  }

  /** The trust in an issuer, for a request to a URL. Throws `UNAUTHENTICATED` if it is not trusted. */
  #trustIn(issuer: string, url: string): Trust {
    const { publicUrl, ownKeys, trusted } = this.#options;
    const own = issuerOf(publicUrl, url);
    if (isSameIssuer(own, issuer)) return { keys: ownKeys, serverUrl: baseOfIssuer(own) };
    // The membership's tokens and ID tokens are signed with the same keys. Not even the settings can make them tokens of the API.
    const isMembership = isSameIssuer(baseOfIssuer(own), issuer);
    const trust = isMembership ? undefined : trusted.get(issuer);
    if (trust === undefined) throw invalidToken("the issuer of the token is not trusted here");
    return trust;
  }

  async #findKey(keys: KeyCache, kid: string | undefined): Promise<CryptoKey> {
    const key = await keys.find(kid).catch((error: unknown) => {
      // Our own keys come from our database, whose failure says nothing about the token.
      if (keys === this.#options.ownKeys) throw unreadable("the keys that verify tokens", error);
      throw invalidToken("the keys of the token's issuer cannot be loaded now", error);
    });
    if (key !== undefined) return key;
    throw invalidToken(
      kid === undefined
        ? "the token does not say which of its issuer's keys has signed it"
        : "the token is signed with an unknown key",
    );
  }
}

const BEARER = /^bearer\s+(\S+)$/i;

/** The token of an `Authorization` header. */
export function readBearer(authorization: string | null): string {
  if (authorization === null) {
    throw new AppError(
      "UNAUTHENTICATED",
      "a token is needed: send `Authorization: Bearer <token>`, with a token of POST /api/auth/oauth/token",
    );
  }
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw invalidToken("the Authorization header is not `Bearer <token>`");
  if (token.length > TOKEN_LENGTH_MAX) throw invalidToken("the token is too long");
  return token;
}

async function assertSigned(text: string, key: CryptoKey): Promise<void> {
  try {
    await compactVerify(text, key, { algorithms: [TOKEN_ALGORITHM] });
  } catch (error) {
    throw invalidToken("the token's signature is not valid", error);
  }
}

function assertAudience({ aud, client_id }: Claims, trust: Trust): void {
  const isMeant =
    "serverUrl" in trust
      ? client_id !== undefined &&
        aud.includes(client_id) &&
        aud.some((item) => isSameIssuer(item, trust.serverUrl))
      : trust.audiences.length === 0 || aud.some((item) => trust.audiences.includes(item));
  if (!isMeant) throw invalidToken("the token is for another audience");
}

/** How far an issuer's clock may be ahead of ours, in milliseconds. */
const CLOCK_SKEW_MS_MAX = 5000;

/**
 * Throws unless a token is valid now. Our own tokens are valid from their issue on; an issue in the future means that the
 * machine's clock was set back.
 */
function assertInTime(
  { exp, nbf = 0, iat }: Claims,
  { nowMs, isOwn }: { nowMs: number; isOwn: boolean },
): void {
  if (exp * 1000 <= nowMs) throw invalidToken("the token has expired");
  const isIssued = isOwn && nbf <= iat;
  if (!isIssued && nbf * 1000 > nowMs + CLOCK_SKEW_MS_MAX) {
    throw invalidToken("the token is not valid yet");
  }
}

/** The error while the database does not answer and the isolate has not yet read what it needs. The cause is only in the log. */
const unreadable = (what: string, cause: unknown): AppError => {
  logError(`${what} cannot be read`, cause);
  return new AppError("OVERLOADED", `${what} cannot be read now; try again`, {
    cause,
    retryAfterSeconds: RETRY_SECONDS,
  });
};
const RETRY_SECONDS = 2;

const missingScope = (scope: Scope): AppError =>
  new AppError("UNAUTHENTICATED", `the token lacks the scope ${scope}`, {
    details: `error="insufficient_scope", scope="${scope}"`,
  });
