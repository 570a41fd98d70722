import { baseOfIssuer } from "#modules/auth/core/issuer-url.ts";
import { newId } from "#platform/ids.ts";

/** Who gets an access token of ours, and what it allows. */
export interface AccessTokenGrant {
  readonly issuer: string;
  readonly clientId: string;
  /** The person that the client acts for, where it does not act for itself. */
  readonly subject?: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** What the person has allowed the client; see `authGrants`. */
  readonly grantId?: string;
  /** Whom it is for besides this client and this server. */
  readonly audience?: readonly string[];
  /** Patterns of the only ledgers that it reaches; empty for all. */
  readonly ledgers: readonly string[];
  /** In seconds since the epoch. */
  readonly issuedAt: number;
  readonly lifetimeSeconds: number;
}

/**
 * The claims of an access token, in alphabetical order, as on the reference server. The audience names the client, as there,
 * and this server, which is how a token is told from those that are for somebody else, such as an ID token.
 */
export const accessTokenClaims = (grant: AccessTokenGrant) => ({
  aud: [...new Set([grant.clientId, baseOfIssuer(grant.issuer), ...(grant.audience ?? [])])],
  client_id: grant.clientId,
  exp: grant.issuedAt + grant.lifetimeSeconds,
  ...(grant.grantId === undefined ? {} : { grant_id: grant.grantId }),
  iat: grant.issuedAt,
  iss: grant.issuer,
  jti: newId(),
  ...(grant.ledgers.length === 0 ? {} : { ledgers: [...grant.ledgers] }),
  nbf: grant.issuedAt,
  scope: grant.scope,
  ...(grant.subject === undefined ? {} : { sub: grant.subject }),
});
