import { and, eq, sql } from "drizzle-orm";
import { PeopleStore } from "./store.ts";
import { authPeople } from "./tables.ts";
import { authorityOfPermissions } from "#modules/auth/authority/holders.ts";
import { PEOPLE_MAX } from "#modules/auth/core/end-user.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";

/** The claims of a provider about a person. */
export interface ProviderPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
}

/**
 * The id of a person who has logged in at a provider. The first login adds the person, with the scopes of the settings; of two at
 * once, one adds the person. Later logins update the claims and leave the scopes. Throws `VALIDATION` if there are too many
 * people, and `CONFLICT`.
 */
export async function upsertUpstreamPerson(
  context: ServiceContext,
  { issuer, subject, email, emailVerified, name }: ProviderPerson,
): Promise<string> {
  const db = databaseOf(context.env);
  const isThisOne = and(eq(authPeople.issuer, issuer), eq(authPeople.subject, subject));
  const claims = { email, emailVerified, name };
  const update = db
    .update(authPeople)
    .set(claims)
    .where(isThisOne)
    .returning({ id: authPeople.id });
  const [known] = await update;
  if (known !== undefined) return known.id;
  if ((await new PeopleStore(context.env).count()) >= PEOPLE_MAX) {
    throw new AppError("VALIDATION", `there are already ${PEOPLE_MAX} people`);
  }
  const id = newId();
  const named = authSettings.of(context.env).FLORIN_LOGIN_SCOPES;
  const scopes = stringifyJson(named);
  const { hasAll: hasAllScopes } = authorityOfPermissions({ scopes: named, ledgers: [] });
  const principal = { ...context.principal, issuer, subject };
  const change = new AuditedChange(
    { ...context, principal },
    { action: "auth.person.create", object: `users/${id}` },
  );
  await change.store(
    db
      .insert(authPeople)
      .values({ id, issuer, subject, ...claims, scopes, hasAllScopes, version: newId() })
      .onConflictDoNothing()
      .returning({ id: authPeople.id }),
  );
  const [person] = await db
    .select({ id: sql<string>`${authPeople.id}` })
    .from(authPeople)
    .where(isThisOne);
  if (person === undefined) throw new AppError("CONFLICT", "the person was deleted meanwhile");
  return person.id;
}
