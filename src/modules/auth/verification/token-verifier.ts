import { compactVerify, decodeJwt, decodeProtectedHeader } from "jose";
import { z } from "zod";
import { issuerOf } from "./issuer.ts";
import { baseOfIssuer, isSameIssuer } from "#modules/auth/core/issuer-url.ts";
import { splitScopes } from "#modules/auth/core/scopes.ts";
import type { KeyCache } from "#modules/auth/keys/key-cache.ts";
import { TOKEN_ALGORITHM } from "#modules/auth/keys/signing-keys.ts";
import type { RevocableToken, RevocationList } from "#modules/auth/revocations/revocation-list.ts";
import { LEDGER_PATTERN } from "#platform/access/ledger-patterns.ts";
import type { Principal } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { type Authenticator, allows, type Scope } from "#platform/http/authenticator.ts";
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
/** How long a verified token is remembered, in milliseconds. A token whose key was withdrawn is accepted for this time at most. */
export const VERIFIED_MS_MAX = 5 * 60_000;
/** Longest header by which a token is remembered, in characters. A token can be sent with any number of spaces before it. */
const REMEMBERED_LENGTH_MAX = 4096;
/**
 * The key of a remembered token: the last characters of its header, which belong to the signature. A look-up by a whole header of
 * 900 characters takes four times as long. Two headers with the same end have the same token, or one of them is forged.
 */
const endOf = (header: string): string => header.slice(-END_LENGTH);
const END_LENGTH = 32;
/** How far an issuer's clock may be ahead of ours, in milliseconds. */
const CLOCK_SKEW_MS_MAX = 5000;

/** A token with critical headers is refused, because no extension is understood here (RFC 7515 §4.1.11). */
const Header = z.object({
  alg: z.literal(TOKEN_ALGORITHM),
  kid: z.string().optional(),
  crit: z.never().optional(),
});
const Claims = z.object({
  iss: z.string(),
  exp: z.number(),
  nbf: z.number().optional(),
  scope: z.string().default(""),
  sub: z.string().optional(),
  client_id: z.string().optional(),
  azp: z.string().optional(),
  aud: z
    .union([z.string(), z.array(z.string())])
    .default([])
    .transform((given) => (typeof given === "string" ? [given] : given)),
  /** A claim of Florin: patterns of the only ledgers that the token reaches. An empty list is refused, because its meaning would be unclear. */
  ledgers: z.array(z.string().regex(LEDGER_PATTERN)).min(1).optional(),
  iat: z.number().default(0),
  jti: z.string().optional(),
  /** A claim of Florin: the id of the person's grant. */
  grant_id: z.string().optional(),
});
type Claims = z.output<typeof Claims>;

/** How tokens of an issuer are checked. Tokens of this server have to name it in their audience. */
type Trust = IssuerTrust | { readonly keys: KeyCache; readonly serverUrl: string };

/** The content of a valid token. */
export interface ReadToken extends RevocableToken {
  readonly principal: Principal;
  /** Whether this server has issued the token. */
  readonly isOwn: boolean;
  /** The `sub` of the token; undefined if a client acts for itself. */
  readonly person: string | undefined;
  readonly audience: readonly string[];
  /** The scopes, separated by spaces. */
  readonly scope: string;
  /** When the token expires, in seconds since the epoch. */
  readonly expiresAt: number;
}

/** Reads tokens that a request is about, and not those that authorise it. */
export interface TokenReader {
  /**
   * Verifies a token as if it authorised a request to `url`, after a read of new revocations. Throws `UNAUTHENTICATED`, and
   * `OVERLOADED` if the database does not answer.
   */
  read(text: string, url: string): Promise<ReadToken>;
}

interface VerifiedToken {
  /** The whole `Authorization` header with the token. */
  readonly header: string;
  readonly read: ReadToken;
  readonly issuer: string;
  /** The origin of the request for which the token was verified, with a slash at the end. */
  readonly origin: string;
  readonly principal: Principal;
  readonly verifiedMs: number;
  readonly expiresMs: number;
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
export class TokenVerifier implements TokenReader {
  readonly #options: TokenVerifierOptions;
  /** Verified tokens by the ends of their headers, oldest first. */
  readonly #verified = new Map<string, VerifiedToken>();

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
  }

  readonly authenticate: Authenticator = (request, scope) => {
    const { nowMs, revocations } = this.#options;
    const header = request.headers.get("authorization");
    const now = nowMs();
    const known = revocations.isDue(now) ? undefined : this.#recall(header, now);
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
    const token = this.#recall(header, nowMs()) ?? (await this.#verifyHeader(header, request.url));
    return this.#admit(token, request, scope);
  }

  /** The principal of a valid token. Throws `UNAUTHENTICATED` if the token lacks the scope, or its issuer is not trusted under this host. */
  #admit(token: VerifiedToken, request: Request, scope: Scope): Principal {
    // A remembered token may have been verified under another host, for which the server has another issuer.
    if (this.#options.publicUrl === undefined && !request.url.startsWith(token.origin)) {
      this.#trustIn(token.issuer, request.url);
    }
    if (!allows(token.principal.scopes, scope)) throw missingScope(scope);
    return token.principal;
  }

  async read(text: string, url: string): Promise<ReadToken> {
    if (text.length > TOKEN_LENGTH_MAX) throw invalid("the token is too long");
    await this.#refreshRevocations();
    return (await this.#verify(text, url)).read;
  }

  /** A remembered token, unless it has expired or was verified longer ago than `VERIFIED_MS_MAX`. */
  #recall(header: string | null, nowMs: number): VerifiedToken | undefined {
    const token = header === null ? undefined : this.#find(header);
    if (token === undefined || nowMs >= token.expiresMs) return undefined;
    // The absolute value, because the machine's clock may have been set back.
    return Math.abs(nowMs - token.verifiedMs) < VERIFIED_MS_MAX ? token : undefined;
  }

  /** Reads new revocations. Remembered tokens are searched only if there are any. */
  async #refreshRevocations(): Promise<void> {
    const { revocations } = this.#options;
    const hasNew = await revocations.refresh().catch((error: unknown) => {
      throw unreadable("the list of revoked tokens", error);
    });
    if (!hasNew) return;
    for (const [end, { read }] of this.#verified) {
      if (read.isOwn && revocations.isRevoked(read)) this.#verified.delete(end);
    }
  }

  #find(header: string): VerifiedToken | undefined {
    const token = this.#verified.get(endOf(header));
    return token?.header === header ? token : undefined;
  }

  /** Verifies the token of a header, and remembers it. */
  async #verifyHeader(header: string | null, url: string): Promise<VerifiedToken> {
    const text = readBearer(header);
    // An entry that is too old is deleted, so that the new one becomes the newest.
    const whole = header ?? "";
    if (this.#find(whole) !== undefined) this.#verified.delete(endOf(whole));
    const token = { ...(await this.#verify(text, url)), header: whole };
    if (whole.length <= REMEMBERED_LENGTH_MAX) this.#remember(token);
    return token;
  }

  async #verify(text: string, url: string): Promise<Omit<VerifiedToken, "header">> {
    const { header, claims } = parseToken(text);
    const trust = this.#trustIn(claims.iss, url);
    await assertSigned(text, await this.#findKey(trust.keys, header.kid));
    assertAudience(claims, trust);
    const nowMs = this.#options.nowMs();
    const isOwn = "serverUrl" in trust;
    assertInTime(claims, { nowMs, isOwn });
    const read = toReadToken(claims, isOwn);
    if (read.isOwn && this.#options.revocations.isRevoked(read)) {
      throw invalid("the token was revoked");
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
    const trust = trusted.get(issuer);
    if (trust === undefined) throw invalid("the issuer of the token is not trusted here");
    return trust;
  }

  async #findKey(keys: KeyCache, kid: string | undefined): Promise<CryptoKey> {
    const key = await keys.find(kid).catch((error: unknown) => {
      // Our own keys come from our database, whose failure says nothing about the token.
      if (keys === this.#options.ownKeys) throw unreadable("the keys that verify tokens", error);
      throw invalid("the keys of the token's issuer cannot be loaded now", error);
    });
    if (key !== undefined) return key;
    throw invalid(
      kid === undefined
        ? "the token does not say which of its issuer's keys has signed it"
        : "the token is signed with an unknown key",
    );
  }

  #remember(token: VerifiedToken): void {
    if (this.#verified.size >= this.#options.tokensMax) {
      const [oldest] = this.#verified.keys();
      if (oldest !== undefined) this.#verified.delete(oldest);
    }
    this.#verified.set(endOf(token.header), token);
  }
}

/** The principal of a token. Other issuers name the client in `client_id` (RFC 9068 §2.2), in `azp` (OpenID Connect) or not at all. */
function toPrincipal({ iss, scope, sub, client_id, azp, aud, ledgers = [] }: Claims): Principal {
  const clientId = client_id ?? azp ?? aud[0] ?? "";
  return { issuer: iss, subject: sub ?? clientId, clientId, scopes: splitScopes(scope), ledgers };
}

function toReadToken(claims: Claims, isOwn: boolean): ReadToken {
  const token = { id: claims.jti, issuedAt: claims.iat, grantId: claims.grant_id };
  const isPerson = isOwn && claims.grant_id !== undefined;
  const principal = {
    ...toPrincipal(claims),
    ...(isPerson ? { isPerson } : {}),
    ...(isOwn ? { token } : {}),
  };
  return {
    principal,
    isOwn,
    person: claims.sub,
    audience: claims.aud,
    scope: claims.scope,
    expiresAt: claims.exp,
    clientId: principal.clientId,
    subject: principal.subject,
    grantId: claims.grant_id,
    tokenId: claims.jti,
    issuedAt: claims.iat,
  };
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
  if (token === undefined) throw invalid("the Authorization header is not `Bearer <token>`");
  if (token.length > TOKEN_LENGTH_MAX) throw invalid("the token is too long");
  return token;
}

function parseToken(text: string): { header: z.output<typeof Header>; claims: Claims } {
  const parts = decodeToken(text);
  const header = Header.safeParse(parts.header);
  if (!header.success) {
    throw invalid(
      `the header of the token does not have the algorithm ${TOKEN_ALGORITHM}, or demands extensions by "crit"`,
    );
  }
  const claims = Claims.safeParse(parts.claims);
  if (claims.success) return { header: header.data, claims: claims.data };
  const names = new Set(claims.error.issues.map((issue) => String(issue.path[0])));
  throw invalid(`the token has no valid claim ${[...names].join(", ")}`);
}

function decodeToken(text: string): { header: unknown; claims: unknown } {
  try {
    return { header: decodeProtectedHeader(text), claims: decodeJwt(text) };
  } catch (error) {
    throw invalid("the token is not a JSON Web Token", error);
  }
}

async function assertSigned(text: string, key: CryptoKey): Promise<void> {
  try {
    await compactVerify(text, key, { algorithms: [TOKEN_ALGORITHM] });
  } catch (error) {
    throw invalid("the token's signature is not valid", error);
  }
}

function assertAudience({ aud, client_id }: Claims, trust: Trust): void {
  const isMeant =
    "serverUrl" in trust
      ? client_id !== undefined &&
        aud.includes(client_id) &&
        aud.some((item) => isSameIssuer(item, trust.serverUrl))
      : trust.audiences.length === 0 || aud.some((item) => trust.audiences.includes(item));
  if (!isMeant) throw invalid("the token is for another audience");
}

/**
 * Throws unless a token is valid now. Our own tokens are valid from their issue on; an issue in the future means that the
 * machine's clock was set back.
 */
function assertInTime(
  { exp, nbf = 0, iat }: Claims,
  { nowMs, isOwn }: { nowMs: number; isOwn: boolean },
): void {
  if (exp * 1000 <= nowMs) throw invalid("the token has expired");
  const isIssued = isOwn && nbf <= iat;
  if (!isIssued && nbf * 1000 > nowMs + CLOCK_SKEW_MS_MAX) {
    throw invalid("the token is not valid yet");
  }
}

/** The refusal of a token. `details` become part of the answer's `WWW-Authenticate` header (RFC 6750 §3). */
const invalid = (message: string, cause?: unknown): AppError =>
  new AppError("UNAUTHENTICATED", message, { cause, details: 'error="invalid_token"' });

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
