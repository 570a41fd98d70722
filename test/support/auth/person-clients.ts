import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { type CodeRequest, issueCode } from "#modules/auth/grants/authorization-codes.ts";
import { present } from "#platform/assert.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import { storePerson } from "#test/support/auth/people.ts";

export const REDIRECT_URI = "https://app.example.com/callback";
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
export const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
export const AUTH_TIME = 1_767_225_600;

export interface PersonClient {
  readonly id: string;
  readonly secret: string;
  readonly person: string;
  readonly email: string;
  /** The form parameters that authenticate the client. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** A client for logins, and a person who has logged in to it. */
export async function freshPersonClient({ isPublic = true, scopes = ["ledger:read"] } = {}) {
  const fields = { public: isPublic, scopes, redirectUris: [REDIRECT_URI] };
  const { id, secret } = await makeClient(fields);
  const { id: person, email } = await storePerson({ scopes, name: "Ann", emailVerified: true });
  const credentials: Record<string, string> = isPublic
    ? { client_id: id }
    : { client_id: id, client_secret: secret };
  return { id, secret, person, email, credentials } satisfies PersonClient;
}

/** Issues a code for a request, without a check of the session. */
export async function codeOf(context: ServiceContext, request: CodeRequest): Promise<string> {
  return present(await issueCode(context, request, { condition: sql`TRUE` }), "nothing ends it");
}

const SCOPES = ["openid", "email", "profile", "offline_access", "ledger:read"];

/** Issues a code as the authorization endpoint does after a login. */
export const codeFor = (
  client: PersonClient,
  changes: Partial<CodeRequest> = {},
): Promise<string> =>
  codeOf(systemContext(env, "test"), {
    clientId: client.id,
    subject: client.person,
    redirectUri: REDIRECT_URI,
    scopes: SCOPES,
    nonce: "n-0",
    codeChallenge: CHALLENGE,
    authTime: AUTH_TIME,
    ...changes,
  });
