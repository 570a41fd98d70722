import { PeopleStore } from "./store.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import type { ServiceContext } from "#platform/context.ts";

/** The person who is the `sub` of a token, with the present scopes; undefined if the person was deleted. */
export const findPerson = (
  { env }: Pick<ServiceContext, "env">,
  subject: string,
): Promise<EndUser | undefined> => new PeopleStore(env).find(subject);
