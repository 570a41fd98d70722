import type { Credential } from "#modules/auth/core/client.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { splitScopes } from "#modules/auth/core/scopes.ts";
import { GrantStore } from "#modules/auth/grants/grant-store.ts";
import { hashToken } from "#modules/auth/grants/opaque-token.ts";
import { findPerson } from "#modules/auth/people/find-person.ts";
import type { ReadToken } from "#modules/auth/verification/token-claims.ts";
import type { TokenReader } from "#modules/auth/verification/token-verifier.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { toMillis } from "#platform/time.ts";

/** The state of a token, for a client that may know it. */
export interface TokenState {
  readonly kind: "access" | "refresh";
  readonly scope: string;
  readonly clientId: string;
  readonly subject: string | undefined;
  readonly person: EndUser | undefined;
  /** When the token expires, in seconds since the epoch. */
  readonly expiresAt: number;
  readonly access: ReadToken | undefined;
}

/** A question about a token: its client, the URL of the request, and the reader of tokens. */
export interface Introspection {
  readonly token: string;
  readonly caller: Credential;
  readonly url: string;
  readonly reader: TokenReader;
}

/**
 * The state of a valid token; undefined for any other. A client that is not trusted gets only access tokens with it in the
 * audience and its own refresh tokens.
 */
export async function introspect(
  context: ServiceContext,
  request: Introspection,
): Promise<TokenState | undefined> {
  const { token } = request;
  return token.includes(".") ? accessState(context, request) : refreshState(context, request);
}

async function accessState(
  context: ServiceContext,
  { token, caller, url, reader }: Introspection,
): Promise<TokenState | undefined> {
  const read = await tryReadToken(reader, token, url);
  if (read === undefined || !read.isOwn) return undefined;
  if (!caller.trusted && !read.audience.includes(caller.clientId)) return undefined;
  const { grantId, person: subject, clientId, expiresAt } = read;
  const grant =
    grantId === undefined ? undefined : await GrantStore.from(context).findGrant(grantId);
  const isEnded = grantId !== undefined && grant === undefined;
  if (isEnded) return undefined;
  const person = grant === undefined ? undefined : await findPerson(context, grant.subject);
  if (grant !== undefined && person === undefined) return undefined;
  const scope = grant === undefined ? read.scope : shownScope(read.scope, grant.scopes);
  return { kind: "access", scope, clientId, subject, person, expiresAt, access: read };
}

/** The scopes of a token, and `email` if it was granted, which access tokens do not carry. */
function shownScope(ofToken: string, granted: string): string {
  const inToken = splitScopes(ofToken);
  const shown = [...splitScopes(granted)].filter(
    (scope) => inToken.has(scope) || scope === "email",
  );
  return shown.join(" ");
}

async function refreshState(
  context: ServiceContext,
  { token, caller }: Introspection,
): Promise<TokenState | undefined> {
  const found = await GrantStore.from(context).findRefreshToken(hashToken(token));
  if (found === undefined || found.token.successor !== null) return undefined;
  const { grant, token: row } = found;
  if (row.expiresMs <= toMillis(context.clock())) return undefined;
  if (!caller.trusted && grant.clientId !== caller.clientId) return undefined;
  const person = await findPerson(context, grant.subject);
  if (person === undefined) return undefined;
  const { scopes: scope, clientId, subject } = grant;
  const expiresAt = Math.floor(row.expiresMs / 1000);
  return { kind: "refresh", scope, clientId, subject, person, expiresAt, access: undefined };
}

/** Reads a token of the API; undefined for a token that is not valid, whatever the reason. */
const tryReadToken = (
  reader: TokenReader,
  token: string,
  url: string,
): Promise<ReadToken | undefined> => ifValid(() => reader.read(token, url));

/** What a read gives; undefined for a token that is not valid, whatever the reason. */
export async function ifValid(read: () => Promise<ReadToken>): Promise<ReadToken | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && error.kind === "UNAUTHENTICATED") return undefined;
    throw error;
  }
}
