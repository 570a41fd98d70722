import { decodeJwt, decodeProtectedHeader } from "jose";
import { z } from "zod";
import { splitScopes } from "#modules/auth/core/scopes.ts";
import { TOKEN_ALGORITHM } from "#modules/auth/keys/signing-keys.ts";
import type { RevocableToken } from "#modules/auth/revocations/revocation-list.ts";
import { LEDGER_PATTERN } from "#platform/access/ledger-patterns.ts";
import type { Principal } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** A token with critical headers is refused, because no extension is understood here (RFC 7515 §4.1.11). */
const Header = z.object({
  alg: z.literal(TOKEN_ALGORITHM),
  kid: z.string().optional(),
  typ: z.string().optional(),
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
  /** What a stack token is for. */
  resource: z.string().optional(),
  /** A claim of Florin: the id of the person's grant. */
  grant_id: z.string().optional(),
});
export type Claims = z.output<typeof Claims>;

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

/** The header and the claims of a token, which nobody has verified. Throws `UNAUTHENTICATED`. */
export function parseToken(text: string): { header: z.output<typeof Header>; claims: Claims } {
  const parts = decodeToken(text);
  const header = Header.safeParse(parts.header);
  if (!header.success) {
    throw invalidToken(
      `the header of the token does not have the algorithm ${TOKEN_ALGORITHM}, or demands extensions by "crit"`,
    );
  }
  const claims = Claims.safeParse(parts.claims);
  if (claims.success) return { header: header.data, claims: claims.data };
  const names = new Set(claims.error.issues.map((issue) => String(issue.path[0])));
  throw invalidToken(`the token has no valid claim ${[...names].join(", ")}`);
}

function decodeToken(text: string): { header: unknown; claims: unknown } {
  try {
    return { header: decodeProtectedHeader(text), claims: decodeJwt(text) };
  } catch (error) {
    throw invalidToken("the token is not a JSON Web Token", error);
  }
}

/** The `typ` in the header of a text that may be a token; undefined if it has none. Nobody has verified it. */
export function typeOfToken(text: string): string | undefined {
  try {
    return decodeProtectedHeader(text).typ;
  } catch {
    return undefined; // the text is not a token
  }
}

/** The content of a token with these claims, if the token is valid. */
export function toReadToken(claims: Claims, isOwn: boolean): ReadToken {
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

/** The principal of a token. Other issuers name the client in `client_id` (RFC 9068 §2.2), in `azp` (OpenID Connect) or not at all. */
function toPrincipal({ iss, scope, sub, client_id, azp, aud, ledgers = [] }: Claims): Principal {
  const clientId = client_id ?? azp ?? aud[0] ?? "";
  return { issuer: iss, subject: sub ?? clientId, clientId, scopes: splitScopes(scope), ledgers };
}

/** The refusal of a token. `details` become part of the answer's `WWW-Authenticate` header (RFC 6750 §3). */
export const invalidToken = (message: string, cause?: unknown): AppError =>
  new AppError("UNAUTHENTICATED", message, { cause, details: 'error="invalid_token"' });
