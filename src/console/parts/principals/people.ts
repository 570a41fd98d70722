import { queryOptions, useQuery } from "@tanstack/react-query";
import { boundLedgers, florin, may } from "#console/api/florin.ts";
import type { components } from "#openapi";

export type Person = components["schemas"]["UserDetails"];

/** Time for which the list of people counts as current where it only gives names, in milliseconds. */
const NAMES_CURRENT_MS = 60_000;

/** All people with their scopes. The API gives them as one list. */
export const peopleQuery = () =>
  queryOptions({
    queryKey: ["people"],
    queryFn: async ({ signal }) =>
      (await florin.get("/api/florin/v1/users", {}, { signal })).data as readonly Person[],
  });

/** Whether the person may read clients, people and the audit, which concern all ledgers. */
export const mayReadAccess = (): boolean => may("auth:read") && boundLedgers().length === 0;

/** The person whose tokens have an id as their subject; undefined for a client, and where the reader may not know people. */
export function usePerson(subject: string): Person | undefined {
  const { data } = useQuery({
    ...peopleQuery(),
    enabled: mayReadAccess(),
    staleTime: NAMES_CURRENT_MS,
  });
  return data?.find(({ id }) => id === subject);
}

export const nameOf = ({ name, email, id }: Person): string => name ?? (email === "" ? id : email);
