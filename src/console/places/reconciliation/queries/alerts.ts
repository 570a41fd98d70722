import { queryOptions } from "@tanstack/react-query";
import {
  type RuleAlert,
  type AlertEvent,
  LIVE_MS,
  pageParameters,
  RECONCILIATION_KEY,
} from "./common.ts";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";

/** The beginning of the keys of what an action on an alert changes. */
export const ALERTS_KEY = [...RECONCILIATION_KEY, "alerts"] as const;

/** The condition for alerts that are not in order yet. */
export const ACTIVE = { $in: { status: ["OPEN", "ACKNOWLEDGED"] } };

/** The alerts that fit a filter, last seen first. */
export const alertsQuery = (filter: string | undefined) =>
  pages<RuleAlert>([...ALERTS_KEY, "list", filter], (cursor, signal) =>
    florin.get("/api/reconciliation/alerts", { query: pageParameters(cursor, filter) }, { signal }),
  );

export const alertQuery = (id: string) =>
  queryOptions({
    queryKey: [...ALERTS_KEY, "alert", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/reconciliation/alerts/{alertID}",
          { path: { alertID: id } },
          { signal },
        )
      ).data,
    refetchInterval: LIVE_MS,
  });

/** What has happened to an alert, newest first. `updatedAt` names the state of the alert that was read. */
export const alertEventsQuery = ({ id, updatedAt }: Pick<RuleAlert, "id" | "updatedAt">) =>
  pages<AlertEvent>([...ALERTS_KEY, "alert", id, "events", updatedAt], (cursor, signal) =>
    florin.get(
      "/api/reconciliation/alerts/{alertID}/events",
      {
        path: { alertID: id },
        query: cursor === undefined ? { pageSize: EVENTS_PAGE } : { cursor },
      },
      { signal },
    ),
  );

/** Events that a page of a history asks for. */
const EVENTS_PAGE = 20;
