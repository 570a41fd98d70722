import { baseOfIssuer } from "#modules/auth/core/issuer-url.ts";
import {
  type MembershipKind,
  membershipAudience,
  ORGANIZATION_ID,
  STACK_RESOURCE,
} from "#modules/auth/core/membership.ts";
import { newId } from "#platform/ids.ts";

/** The content of an access token of this server. */
export interface AccessTokenGrant {
  readonly issuer: string;
  readonly clientId: string;
  /** The person that the client acts for; absent if the client acts for itself. */
  readonly subject?: string;
  /** The scopes, separated by spaces. */
  readonly scope: string;
  /** The id of the person's grant (`authGrants`); absent if no person has logged in here for the client. */
  readonly grantId?: string;
  /** Audiences besides the client and this server. */
  readonly audience?: readonly string[];
  /** Patterns of the only ledgers that the token reaches; empty for all. */
  readonly ledgers: readonly string[];
  /** When the token is issued, in seconds since the epoch. */
  readonly issuedAt: number;
  readonly lifetimeSeconds: number;
}

/**
 * The claims of an access token, in alphabetical order, as on the reference server. The audience names the client, as there, and
 * this server. The server in the audience distinguishes access tokens from tokens for others, such as ID tokens.
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

/** The content of a membership token. `issuer` is that of the API's tokens. */
export interface MembershipTokenGrant extends Omit<AccessTokenGrant, "audience"> {
  readonly kind: MembershipKind;
}

/**
 * The claims of a membership token. Its issuer, its audience and the `typ` of its header differ from those of a token of the API, and
 * each of the three alone keeps it from being one.
 */
export const membershipTokenClaims = ({ kind, ...grant }: MembershipTokenGrant) => ({
  ...accessTokenClaims(grant),
  aud: [membershipAudience(grant.issuer, kind)],
  iss: baseOfIssuer(grant.issuer),
  ...(kind === "root" ? {} : { organization_id: ORGANIZATION_ID }),
  ...(kind === "stack" ? { resource: STACK_RESOURCE } : {}),
});
