import { queryOptions } from "@tanstack/react-query";
import { matchingKey, type MatchingSide } from "./matchings.ts";
import { florin } from "#console/api/florin.ts";
import { PAGE_SIZE, pages } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type MatchingGroup = Schemas["MatchingGroup"];
export type GroupDetail = Schemas["MatchingGroupDetail"];
export type MatchingLine = Schemas["MatchingLine"];
export type MatchingDecision = Schemas["MatchingDecision"];
export type GroupState = MatchingGroup["state"];
export type LineField = GroupDetail["evidence"]["keys"][number]["left"];

export interface GroupFilter {
  readonly state?: GroupState | undefined;
  readonly pass?: string | undefined;
  readonly run?: number | undefined;
}

/** The matches and proposals of a matching that fit a filter, newest first. */
export const groupsQuery = (matchingID: string, filter: GroupFilter) =>
  pages<MatchingGroup>([...matchingKey(matchingID), "groups", filter], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/reconciliation/matchings/{matchingID}/groups",
      {
        path: { matchingID },
        query: cursor === undefined ? { pageSize: PAGE_SIZE, ...filter } : { cursor },
      },
      { signal },
    ),
  );

export const groupQuery = (matchingID: string, groupID: number) =>
  queryOptions({
    queryKey: [...matchingKey(matchingID), "group", groupID],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/matchings/{matchingID}/groups/{groupID}",
          { path: { matchingID, groupID } },
          { signal },
        )
      ).data,
  });

export interface LineFilter {
  readonly side?: MatchingSide | undefined;
  readonly state?: "open" | "proposed" | "matched" | "unmatched" | undefined;
  readonly asset?: string | undefined;
  readonly q?: string | undefined;
}

/** The lines of a matching that fit a filter, newest first. */
export const linesQuery = (matchingID: string, filter: LineFilter) =>
  pages<MatchingLine>([...matchingKey(matchingID), "lines", filter], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/reconciliation/matchings/{matchingID}/lines",
      {
        path: { matchingID },
        query: cursor === undefined ? { pageSize: PAGE_SIZE, ...filter } : { cursor },
      },
      { signal },
    ),
  );

export const lineQuery = (matchingID: string, lineID: number) =>
  queryOptions({
    queryKey: [...matchingKey(matchingID), "line", lineID],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/matchings/{matchingID}/lines/{lineID}",
          { path: { matchingID, lineID } },
          { signal },
        )
      ).data,
  });
