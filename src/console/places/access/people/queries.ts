import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import type { Person } from "#console/parts/principals/people.ts";
import { pages } from "#console/parts/table/pages.ts";

/** The beginnings of the keys of all queries about people. */
export const PEOPLE_KEYS = [["people"], ["access", "people"]] as const;

/** All people, as a list. The API gives them at once. */
export const peoplePages = () =>
  pages<Person>(["access", "people"], async (_cursor, signal) => {
    const { data } = await florin.get("/api/florin/v1/users", {}, { signal });
    return { cursor: { data, hasMore: false } };
  });

/** The browsers in which a person is signed in, newest first. */
export const sessionsQuery = (userId: string) =>
  queryOptions({
    queryKey: ["people", userId, "sessions"],
    queryFn: async ({ signal }) => {
      const path = { userId };
      const { data } = await florin.get(
        "/api/florin/v1/users/{userId}/sessions",
        { path },
        { signal },
      );
      return data;
    },
  });

/** The passkeys of a person. */
export const passkeysQuery = (userId: string) =>
  queryOptions({
    queryKey: ["people", userId, "passkeys"],
    queryFn: async ({ signal }) => {
      const path = { userId };
      const { data } = await florin.get(
        "/api/florin/v1/users/{userId}/passkeys",
        { path },
        { signal },
      );
      return data;
    },
  });
