import { and, eq, isNotNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { Actor } from "./actor.ts";
import { authPasskeys } from "#modules/auth/passkeys/tables.ts";
import { authPeople } from "#modules/auth/people/tables.ts";
import { authSettings } from "#modules/auth/settings.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

type Context = Pick<ServiceContext, "env">;

/** Whether a person can log in now: at the provider of the settings, or at our own page with a password or a passkey. */
export function canLogIn(env: Env): SQL {
  const { FLORIN_LOGIN_ISSUER: issuer = "" } = authSettings.of(env);
  const isHere = eq(authPeople.issuer, issuer);
  if (issuer !== "") return isHere;
  const hasPasskey = sql`EXISTS (SELECT 1 FROM ${authPasskeys} WHERE ${authPasskeys.personId} = ${authPeople.id})`;
  return and(isHere, or(isNotNull(authPeople.password), hasPasskey)) ?? isHere;
}

/** The ids of the people who can log in now; with `id`, only this person. */
export async function whoCanLogIn({ env }: Context, id?: string): Promise<ReadonlySet<string>> {
  const rows = await databaseOf(env)
    .select({ id: authPeople.id })
    .from(authPeople)
    .where(and(id === undefined ? undefined : eq(authPeople.id, id), canLogIn(env)));
  return new Set(rows.map((row) => row.id));
}

/** Whether a person is an administrator: can log in and has all scopes, and is bound to no ledgers. */
const isAdministrator = (env: Env): SQL =>
  and(eq(authPeople.hasAllScopes, true), eq(authPeople.ledgers, "[]"), canLogIn(env)) ?? sql`FALSE`;

/**
 * Holds if there is an administrator besides a person, or the person is none. It has to hold when somebody takes the person's
 * scopes away. It goes into the batch of the change, so that two administrators cannot remove each other at the same time. It
 * always holds for the first client, which can invite another administrator at any time.
 */
export function leavesAdministrator({ env }: Context, { isRoot }: Actor, personId: string): SQL {
  if (isRoot) return sql`TRUE`;
  const exists = (condition: SQL | undefined): SQL =>
    sql`EXISTS (SELECT 1 FROM ${authPeople} WHERE ${condition})`;
  const isOne = exists(and(eq(authPeople.id, personId), isAdministrator(env)));
  const isThereAnother = exists(and(ne(authPeople.id, personId), isAdministrator(env)));
  return sql`(NOT ${isOne} OR ${isThereAnother})`;
}

/** Throws `VALIDATION` unless `leavesAdministrator` holds now. */
export async function assertLeavesAdministrator(
  context: Context,
  actor: Actor,
  personId: string,
): Promise<void> {
  const condition = leavesAdministrator(context, actor, personId);
  const [row] = await databaseOf(context.env).all<{ holds: number }>(
    sql`SELECT ${condition} AS holds`,
  );
  if (row?.holds === 1) return;
  throw new AppError(
    "VALIDATION",
    `the user '${personId}' is the last administrator: nobody else who can log in has all scopes. Only the first client (FLORIN_CLIENT_ID) may remove the user or take scopes away`,
  );
}
