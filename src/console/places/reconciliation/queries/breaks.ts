import { queryOptions } from "@tanstack/react-query";
import { pageParameters, RECONCILIATION_KEY } from "./common.ts";
import { matchingKey } from "./matchings.ts";
import { florin } from "#console/api/florin.ts";
import { PAGE_SIZE, pages } from "#console/parts/table/pages.ts";
import type { components, paths } from "#openapi";

type Schemas = components["schemas"];
export type MatchingBreak = Schemas["Break"];
export type BreakHistory = Schemas["BreakHistory"];
export type BreakStatus = MatchingBreak["status"];
export type BreakSum = Schemas["BreakSum"];
export type BreakCorrection = Schemas["BreakCorrection"];
export type CorrectionSuggestion = Schemas["BreakCorrectionSuggestion"];
export type CorrectionBody = NonNullable<Schemas["BreakCorrectionRequest"]>;
export type WriteOffBody = Schemas["BreakWriteOffRequest"];
type BreaksPath = paths["/api/florin/v1/reconciliation/matchings/{matchingID}/breaks"];
type BreaksQuery = NonNullable<BreaksPath["get"]["parameters"]["query"]>;
export type BreakFilter = {
  readonly [Name in Exclude<keyof BreaksQuery, "cursor" | "pageSize">]:
    | BreaksQuery[Name]
    | undefined;
};

/** The lines of a matching that are not matched and fit a filter, newest first. */
export const breaksQuery = (matchingID: string, filter: BreakFilter) =>
  pages<MatchingBreak>([...matchingKey(matchingID), "breaks", filter], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/reconciliation/matchings/{matchingID}/breaks",
      {
        path: { matchingID },
        query: cursor === undefined ? { pageSize: PAGE_SIZE, ...filter } : { cursor },
      },
      { signal },
    ),
  );

/** What is open, by side, asset, class and age. */
export const breakSumsQuery = (matchingID: string, state: string) =>
  queryOptions({
    queryKey: [...matchingKey(matchingID), "break-sums", state],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/matchings/{matchingID}/breaks/sums",
          { path: { matchingID } },
          { signal },
        )
      ).data,
  });

export const breakQuery = (matchingID: string, lineID: number) =>
  queryOptions({
    queryKey: [...matchingKey(matchingID), "break", lineID],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/matchings/{matchingID}/breaks/{lineID}",
          { path: { matchingID, lineID } },
          { signal },
        )
      ).data,
    refetchInterval: ({ state }) => (state.data?.corrections.some(isMoving) ? MOVING_MS : false),
  });

/** Time between two reads of a break while a correction is on its way, in milliseconds. */
const MOVING_MS = 1500;

/** Whether a correction goes on by itself. */
export const isMoving = ({ state }: Pick<BreakCorrection, "state">): boolean =>
  state === "begun" || state === "booking" || state === "releasing";

/**
 * What would correct a break, where an account of the side is named or known. Its key is none of the matching's: after a booking, the API
 * refuses to suggest another one, and nobody asks for it.
 */
export const suggestionQuery = (matchingID: string, lineID: number, account: string | undefined) =>
  queryOptions({
    queryKey: ["break-suggestion", matchingID, lineID, account],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/matchings/{matchingID}/breaks/{lineID}/correction",
          { path: { matchingID, lineID }, query: { account } },
          { signal },
        )
      ).data,
  });

/** The corrections of all matchings that fit a filter, newest first. */
export const correctionsQuery = (filter: string | undefined) =>
  pages<BreakCorrection>([...RECONCILIATION_KEY, "corrections", filter], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/reconciliation/corrections",
      { query: pageParameters(cursor, filter) },
      { signal },
    ),
  );
