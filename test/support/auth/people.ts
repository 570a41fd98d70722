import { env } from "cloudflare:workers";
import { toAuthorityColumn } from "#modules/auth/authority/stored-authority.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { authPeople } from "#modules/auth/people/tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";
import { freshName } from "#test/support/platform/api.ts";

/** Stores a person who has logged in at an external provider. */
export async function storePerson(fields: Partial<EndUser> = {}): Promise<EndUser> {
  const subject = freshName("subject");
  const person: EndUser = {
    id: newId(),
    issuer: "https://login.example.com",
    subject,
    email: `${subject}@example.com`,
    emailVerified: true,
    name: "",
    scopes: [],
    hasAllScopes: false,
    ledgers: [],
    vouchedBy: undefined,
    version: newId(),
    ...fields,
  };
  const { vouchedBy, scopes, ledgers, ...columns } = person;
  await databaseOf(env)
    .insert(authPeople)
    .values({
      ...columns,
      scopes: stringifyJson(scopes),
      ledgers: stringifyJson(ledgers),
      vouchedBy: vouchedBy === undefined ? null : toAuthorityColumn(vouchedBy),
    });
  return person;
}
