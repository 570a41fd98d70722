import type { EndUser } from "./end-user.ts";
import { PeopleStore } from "./store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** All people, in the order in which they came. */
export const listPeople = ({ env }: ServiceContext): Promise<EndUser[]> =>
  new PeopleStore(env).list();

export async function getPerson({ env }: ServiceContext, id: string): Promise<EndUser> {
  const person = await new PeopleStore(env).find(id);
  if (person === undefined) throw new AppError("NOT_FOUND", `there is no user '${id}'`);
  return person;
}
