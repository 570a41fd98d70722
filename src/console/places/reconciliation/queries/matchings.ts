import { queryOptions } from "@tanstack/react-query";
import { pageParameters, RECONCILIATION_KEY } from "./common.ts";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type Matching = Schemas["Matching"];
export type MatchingRequest = Schemas["MatchingRequest"];
export type MatchingPatch = Schemas["MatchingPatchRequest"];
export type MatchingRun = Schemas["MatchingRun"];
export type MatchingPass = Schemas["MatchingPass"];
export type CloseReport = Schemas["CloseReport"];
export type Author = Schemas["ReconciliationAuthor"];
export type MatchingSide = Schemas["MatchingLine"]["side"];
export type OpenClass = Schemas["BreakSum"]["class"];

/** The beginning of the keys of what runs and decisions change. */
export const MATCHINGS_KEY = [...RECONCILIATION_KEY, "matchings"] as const;

/** The beginning of the keys of one matching. */
export const matchingKey = (id: string) => [...MATCHINGS_KEY, "matching", id] as const;

/** Time between two reads of a run that works, in milliseconds. */
const RUN_MS = 800;
/** Time between two reads of a matching whose runs others may start, in milliseconds. */
const IDLE_MS = 10_000;

export const isWorking = (run: Pick<MatchingRun, "state"> | undefined): boolean =>
  run?.state === "collecting" || run?.state === "matching";

/** The matchings that fit a filter, newest first. */
export const matchingsQuery = (filter: string | undefined) =>
  pages<Matching>([...MATCHINGS_KEY, "list", filter], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/reconciliation/matchings",
      { query: pageParameters(cursor, filter) },
      { signal },
    ),
  );

/** A matching, read more often while a run works. */
export const matchingQuery = (matchingID: string) =>
  queryOptions({
    queryKey: [...matchingKey(matchingID), "self"],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/matchings/{matchingID}",
          { path: { matchingID } },
          { signal },
        )
      ).data,
    refetchInterval: ({ state }) => (isWorking(state.data?.lastRun) ? RUN_MS : IDLE_MS),
  });

/** The runs of a matching, newest first. `run` names the state of the last one. */
export const runsQuery = (matchingID: string, run: string) =>
  pages<MatchingRun>([...matchingKey(matchingID), "runs", run], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/reconciliation/matchings/{matchingID}/runs",
      { path: { matchingID }, query: pageParameters(cursor, undefined) },
      { signal },
    ),
  );

/** A run with what it has done so far. */
export const runQuery = (matchingID: string, runID: number) =>
  queryOptions({
    queryKey: [...matchingKey(matchingID), "run", runID],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/matchings/{matchingID}/runs/{runID}",
          { path: { matchingID, runID } },
          { signal },
        )
      ).data,
    refetchInterval: ({ state }) => (isWorking(state.data) ? RUN_MS : false),
  });

/** Names the state of the matching after a run, by which queries of what a run changes are kept apart. */
export const stateAfter = ({ lastRun }: Pick<Matching, "lastRun">): string =>
  lastRun === undefined ? "" : `${lastRun.id} ${lastRun.state}`;

/** The passes of a matching that names none. */
export const defaultPassesQuery = () =>
  queryOptions({
    queryKey: [...MATCHINGS_KEY, "default-passes"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) =>
      (await florin.get("/api/florin/v1/reconciliation/matchings/default-passes", {}, { signal }))
        .data,
  });

/** A period of a close report; absent days are those of the matching. */
export interface ClosePeriod {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The close of a period. While a run works, the API refuses it. */
export const closeQuery = (matchingID: string, { from, to }: ClosePeriod, state: string) =>
  queryOptions({
    queryKey: [...matchingKey(matchingID), "close", from, to, state],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/matchings/{matchingID}/report",
          { path: { matchingID }, query: { from, to } },
          { signal },
        )
      ).data,
  });
