import { sql } from "drizzle-orm";
import { assertOwnLogin, assertRoom } from "./invitations.ts";
import { authorityOfPermissions } from "#modules/auth/authority/holders.ts";
import { toAuthorityColumn } from "#modules/auth/authority/stored-authority.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { loginOf, PeopleStore } from "#modules/auth/people/store.ts";
import { authPeople } from "#modules/auth/people/tables.ts";
import { permit, retryOnConflict } from "#modules/auth/permits/permit.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";

export type PersonFields = Pick<EndUser, "email" | "name" | "scopes" | "ledgers">;

/**
 * Adds a person without a password, who gets in by a link (`offerSignIn`) and then sets one or adds a passkey. Throws `VALIDATION` for scopes
 * and ledgers that the caller does not have, and `CONFLICT` for an e-mail address that somebody has.
 */
export async function addPerson(context: ServiceContext, fields: PersonFields): Promise<EndUser> {
  assertOwnLogin(context.env, "and are added by their first login");
  const id = newId();
  await retryOnConflict(() => tryToAdd(context, id, fields));
  const person = await new PeopleStore(context.env).find(id);
  if (person !== undefined) return person;
  throw new AppError("CONFLICT", "the person was deleted meanwhile");
}

async function tryToAdd(
  context: ServiceContext,
  id: string,
  { email, name, scopes, ledgers }: PersonFields,
): Promise<true | undefined> {
  const next = authorityOfPermissions({ scopes, ledgers });
  const { actor, holds } = await permit(context, { kind: "person", id: email, next });
  await assertRoom(context.env);
  const db = databaseOf(context.env);
  const change = new AuditedChange(context, {
    action: "auth.person.create",
    object: `users/${id}`,
  });
  const added = await change.store(
    db
      .insert(authPeople)
      .select(
        sql`
          SELECT NULL, ${id}, '', ${id}, ${email}, 0, ${name}, ${stringifyJson(scopes)}, ${loginOf(email)}, NULL,
            ${Number(next.hasAll)}, ${toAuthorityColumn(actor.authority)}, ${newId()}, ${stringifyJson(ledgers)}
          WHERE ${holds}`,
      )
      .onConflictDoNothing()
      .returning({ id: authPeople.id }),
  );
  if (added.length > 0) return true;
  if (!(await new PeopleStore(context.env).hasLogin(email))) return undefined;
  throw new AppError("CONFLICT", `there is already a person with the e-mail address ${email}`);
}
