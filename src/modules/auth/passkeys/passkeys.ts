import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { count, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { type ChallengeKey, putChallenge, takeChallenge } from "./challenges.ts";
import { authPasskeys } from "./tables.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { type LoggedIn, sessionExists } from "#modules/auth/people/sessions.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson } from "#platform/json.ts";

/** Most passkeys of a person. */
const PASSKEYS_MAX = 20;
/** The fields of a browser's response that this file reads. The library checks the rest. */
const Credential = z.looseObject({ id: z.string().max(1400), response: z.looseObject({}) });

/** User verification is required, so that a passkey counts as two factors: the device asks for a finger, a face or a PIN. */
const VERIFICATION = "required";

/** Whether browsers allow passkeys for the host of a server. They allow none for IP addresses. */
export function hasPasskeys(issuer: string): boolean {
  const { hostname } = new URL(issuer);
  return !/^[\d.]+$|^\[/.test(hostname);
}

export const countPasskeys = async (
  { env }: Pick<ServiceContext, "env">,
  personId: string,
): Promise<number> => {
  const [row] = await databaseOf(env)
    .select({ count: count() })
    .from(authPasskeys)
    .where(eq(authPasskeys.personId, personId));
  return row?.count ?? 0;
};

/** The options with which a browser makes a passkey for a person. Throws `VALIDATION` if the person has too many. */
export async function passkeyCreationOptions(
  context: ServiceContext,
  { person, key, issuer }: { person: EndUser; key: ChallengeKey; issuer: string },
): Promise<object> {
  const known = await databaseOf(context.env)
    .select({ id: authPasskeys.id })
    .from(authPasskeys)
    .where(eq(authPasskeys.personId, person.id));
  if (known.length >= PASSKEYS_MAX) {
    throw new AppError("VALIDATION", `there are already ${PASSKEYS_MAX} passkeys`);
  }
  const options = await generateRegistrationOptions({
    rpName: "Florin",
    rpID: new URL(issuer).hostname,
    userName: person.email,
    userID: new Uint8Array(Buffer.from(person.id)),
    attestationType: "none",
    excludeCredentials: known,
    authenticatorSelection: { residentKey: "required", userVerification: VERIFICATION },
  });
  await putChallenge(context, key, options.challenge);
  return options;
}

/** Stores the passkey that a browser has made. Throws `VALIDATION` for a response that does not verify. */
export async function addPasskey(
  context: ServiceContext,
  {
    person,
    key,
    issuer,
    text,
  }: { person: EndUser; key: ChallengeKey; issuer: string; text: string },
): Promise<void> {
  const expectedChallenge = await challengeOf(context, key);
  const response = parseCredential(text) as unknown as RegistrationResponseJSON; // the library checks the fields
  const { verified, registrationInfo } = await attempt(() =>
    verifyRegistrationResponse({ response, expectedChallenge, ...partyOf(issuer) }),
  );
  if (!verified || registrationInfo === undefined) throw refused();
  const { id, publicKey, counter } = registrationInfo.credential;
  const change = new AuditedChange(asPerson(context, person, issuer), {
    action: "auth.passkey.create",
    object: `users/${person.id}`,
  });
  await change.store(
    databaseOf(context.env)
      .insert(authPasskeys)
      // The selection is empty if the session has ended meanwhile, because somebody has set a new password.
      .select(
        sql`
          SELECT ${id}, ${person.id}, ${Buffer.from(publicKey).toString("base64url")}, ${counter}
          WHERE ${sessionExists(key.token)}`,
      )
      .onConflictDoNothing(),
  );
}

/** Deletes all passkeys of a person. */
export async function deletePasskeys(
  context: ServiceContext,
  person: EndUser,
  issuer: string,
): Promise<void> {
  const change = new AuditedChange(asPerson(context, person, issuer), {
    action: "auth.passkey.delete",
    object: `users/${person.id}`,
  });
  await change.store(
    databaseOf(context.env).delete(authPasskeys).where(eq(authPasskeys.personId, person.id)),
  );
}

/** The options with which a browser asks for a passkey of any person. */
export async function passkeyRequestOptions(
  context: ServiceContext,
  { key, issuer }: { key: ChallengeKey; issuer: string },
): Promise<object> {
  const rpID = new URL(issuer).hostname;
  const options = await generateAuthenticationOptions({ rpID, userVerification: VERIFICATION });
  await putChallenge(context, key, options.challenge);
  return options;
}

/** The person who has logged in with a passkey. `proof` holds while the passkey exists. Throws `VALIDATION` for a response that does not verify. */
export async function findByPasskey(
  context: ServiceContext,
  { key, issuer, text }: { key: ChallengeKey; issuer: string; text: string },
): Promise<Omit<LoggedIn, "authenticatedAt">> {
  const expectedChallenge = await challengeOf(context, key);
  const response = parseCredential(text) as unknown as AuthenticationResponseJSON; // the library checks the fields
  const db = databaseOf(context.env);
  const isThisOne = eq(authPasskeys.id, response.id);
  const [passkey] = await db.select().from(authPasskeys).where(isThisOne);
  if (passkey === undefined) throw refused();
  const { id, counter } = passkey;
  const publicKey = new Uint8Array(Buffer.from(passkey.publicKey, "base64url"));
  const credential = { id, publicKey, counter };
  const { verified, authenticationInfo } = await attempt(() =>
    verifyAuthenticationResponse({ response, expectedChallenge, ...partyOf(issuer), credential }),
  );
  if (!verified) throw refused();
  await db.update(authPasskeys).set({ counter: authenticationInfo.newCounter }).where(isThisOne);
  const proof = sql`EXISTS (SELECT 1 FROM ${authPasskeys} WHERE ${isThisOne})`;
  return { personId: passkey.personId, proof };
}

const partyOf = (issuer: string) => ({
  expectedOrigin: new URL(issuer).origin,
  expectedRPID: new URL(issuer).hostname,
  requireUserVerification: true,
});

const asPerson = (context: ServiceContext, person: EndUser, issuer: string): ServiceContext => ({
  ...context,
  principal: { ...context.principal, issuer, subject: person.id },
});

async function challengeOf(
  context: ServiceContext,
  key: ChallengeKey,
): Promise<(text: string) => boolean> {
  const isChallenge = await takeChallenge(context, key);
  if (isChallenge === undefined) throw refused();
  return isChallenge;
}

function parseCredential(text: string): z.output<typeof Credential> {
  try {
    return Credential.parse(parseJson(text));
  } catch (cause) {
    throw refused(cause);
  }
}

/** Runs a check of the library, which throws errors of its own for a response that does not fit. */
async function attempt<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (cause) {
    throw refused(cause);
  }
}

const refused = (cause?: unknown): AppError =>
  new AppError("VALIDATION", "the passkey was not accepted", { cause });
