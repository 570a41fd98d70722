import { PeopleStore } from "./store.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import type { ServiceContext } from "#platform/context.ts";

/** Who a token's `sub` is now: the claims, and the scopes that tokens may have. Undefined after the person was deleted. */
export const findPerson = (
  { env }: Pick<ServiceContext, "env">,
  subject: string,
): Promise<EndUser | undefined> => new PeopleStore(env).find(subject);
