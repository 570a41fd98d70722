import { env } from "cloudflare:workers";
import type { EndUser } from "#modules/auth/people/end-user.ts";
import { authPeople } from "#modules/auth/people/tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import { newId } from "#platform/ids.ts";
import { stringifyJson } from "#platform/json.ts";
import { freshName } from "#test/support/platform/api.ts";

/** Stores a person who has logged in at another provider. */
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
    ...fields,
  };
  await databaseOf(env)
    .insert(authPeople)
    .values({ ...person, scopes: stringifyJson(person.scopes) });
  return person;
}
