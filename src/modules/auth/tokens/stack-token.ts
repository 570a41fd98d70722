import { currentPermissions, type TokenPermissions } from "./current-permissions.ts";
import type { GrantPorts } from "./grant-handler.ts";
import type { IssuedTokens, TokenRequest } from "./requests.ts";
import { CLIENT_TOKEN_SECONDS, PERSON_TOKEN_SECONDS } from "./token-signer.ts";
import type { Credential } from "#modules/auth/core/client.ts";
import { kindOfType } from "#modules/auth/core/membership.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { mayHave, splitScopes, withoutProfile } from "#modules/auth/core/scopes.ts";
import { GrantStore } from "#modules/auth/grants/grant-store.ts";
import { type ReadToken, typeOfToken } from "#modules/auth/verification/token-claims.ts";
import { commonPatterns } from "#platform/access/ledger-patterns.ts";
import { AppError } from "#platform/errors.ts";
import { toMillis } from "#platform/time.ts";

/** Whether a text claims to be a stack token. Nobody has verified it. */
export const isStackToken = (text: string): boolean => kindOfType(typeOfToken(text)) === "stack";

/** A stack token, and the client that has authenticated with it, if any. */
export interface StackAssertion {
  readonly assertion: string;
  readonly client: Credential | undefined;
}

/**
 * Exchanges a stack token of this server for a token of the API, for its client and its person. The scopes and ledgers are those of the
 * stack token that both still have now.
 *
 *     stack token ∩ the client now ∩ the person now ─► token of the API
 *        │             └ gone: invalid_grant ┘            │
 *        └ of a client: ends after an hour ───────────────┴─ ends with the stack token
 *        └ of a person: ends with its grant ──────────────┴─ five minutes, and belongs to the same grant
 */
export async function exchangeStackToken(
  { issuer, url, form }: TokenRequest,
  ports: GrantPorts,
  { assertion, client }: StackAssertion,
): Promise<IssuedTokens> {
  const read = await readAssertion(() => ports.reader.readMembership(assertion, ["stack"], url));
  if (client !== undefined && client.clientId !== read.clientId) {
    throw new OAuthError("invalid_grant", "the assertion is of another client");
  }
  const now = read.person === undefined ? await ofClient(read, ports) : await ofPerson(read, ports);
  const ledgers = commonPatterns(read.principal.ledgers, now.ledgers);
  if (ledgers === undefined) {
    throw new OAuthError("invalid_grant", "the assertion allows no ledger that may be used now");
  }
  const scope = withoutProfile(now.scopes).join(" ");
  const lifetimeSeconds = lifetimeOf(read, ports);
  const accessToken = await ports.signer.signAccessToken(
    {
      issuer,
      clientId: read.clientId,
      scope,
      ledgers,
      ...(read.person === undefined ? {} : { subject: read.person }),
      ...(read.grantId === undefined ? {} : { grantId: read.grantId }),
    },
    lifetimeSeconds,
  );
  const isAsRequested = scope === form.scope;
  return {
    accessToken,
    expiresInSeconds: lifetimeSeconds,
    scope: isAsRequested ? undefined : scope,
  };
}

/** Reads an assertion. An assertion that is not valid is an `OAuthError`, as for all grant types. */
export async function readAssertion(read: () => Promise<ReadToken>): Promise<ReadToken> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "UNAUTHENTICATED") throw error;
    throw new OAuthError("invalid_grant", error.message);
  }
}

type Permissions = Pick<TokenPermissions, "scopes" | "ledgers">;

/** What a client may still do of what its stack token allows. */
async function ofClient({ clientId, scope }: ReadToken, ports: GrantPorts): Promise<Permissions> {
  const client = await ports.clients.find(clientId);
  if (client?.clientId !== clientId || client.public) throw gone();
  const scopes = [...splitScopes(scope)].filter((item) => mayHave(client.scopes, item));
  return { scopes, ledgers: client.ledgers };
}

/** What a client may still do for a person of what the stack token allows. */
async function ofPerson(
  { clientId, scope, grantId, person }: ReadToken,
  { clients, context }: GrantPorts,
): Promise<Permissions> {
  const [client, grant] = await Promise.all([
    clients.find(clientId),
    grantId === undefined ? undefined : GrantStore.from(context).findGrant(grantId),
  ]);
  const isGrants = grant?.membership === "stack" && grant.clientId === clientId;
  if (client?.clientId !== clientId || !isGrants || grant.subject !== person) throw gone();
  const { subject } = grant;
  return currentPermissions(context, client, { subject, scopes: [...splitScopes(scope)] });
}

/** How long the new token lives. That of a client ends with the stack token, because no grant ends it earlier. */
function lifetimeOf({ person, expiresAt }: ReadToken, { context }: GrantPorts): number {
  if (person !== undefined) return PERSON_TOKEN_SECONDS;
  const leftSeconds = expiresAt - Math.floor(toMillis(context.clock()) / 1000);
  return Math.max(1, Math.min(CLIENT_TOKEN_SECONDS, leftSeconds));
}

const gone = () => new OAuthError("invalid_grant", "what the assertion goes back to has ended");
