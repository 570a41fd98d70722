import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { PAGE_SIZE, pages } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";
import { stringifyJson } from "#platform/json.ts";

type Schemas = components["schemas"];
export type ConnectorSummary = Schemas["PaymentConnectorHealthSummary"];
export type AccountAtProvider = Schemas["PaymentAccount"];
export type Booking = Schemas["PaymentBooking"];
export type Task = Schemas["PaymentTask"];

/** The beginning of the keys of all queries of the place. */
export const PAYMENTS_KEY = ["payments"] as const;

/** Time for which the names of connectors count as current, in milliseconds. */
const NAMES_CURRENT_MS = 30_000;
/** Most connectors and accounts that a menu offers; the others are found by a filter. */
const MENU_MAX = 200;

/** The parameters of a page of a list: its filter on the first one, then the cursor. */
export const pageParameters = (cursor: string | undefined, filter: string | undefined) =>
  cursor === undefined ? { pageSize: PAGE_SIZE, query: filter } : { cursor };

/** The health of connectors that fit a filter, newest first. */
export const connectorsQuery = (filter: string | undefined) =>
  pages<ConnectorSummary>([...PAYMENTS_KEY, "connectors", filter], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/payments/connectors/health",
      { query: pageParameters(cursor, filter) },
      { signal },
    ),
  );

/** The connectors for menus and names, newest first. */
export const connectorNamesQuery = () =>
  queryOptions({
    queryKey: [...PAYMENTS_KEY, "connectors", "names"],
    staleTime: NAMES_CURRENT_MS,
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/payments/connectors/health",
          { query: { pageSize: MENU_MAX } },
          { signal },
        )
      ).cursor.data,
  });

/** The accounts of a connector, or of all of them, for menus; newest first. */
export const accountMenuQuery = (connectorId: string | undefined) =>
  queryOptions({
    queryKey: [...PAYMENTS_KEY, "accounts", "menu", connectorId],
    queryFn: async ({ signal }) => {
      const filter =
        connectorId === undefined
          ? undefined
          : stringifyJson({ $match: { connector_id: connectorId } });
      const answer = await florin.get(
        "/api/payments/v3/accounts",
        { query: { pageSize: MENU_MAX, query: filter } },
        { signal },
      );
      return answer.cursor.data;
    },
  });

export const taskQuery = (taskId: string) =>
  queryOptions({
    queryKey: [...PAYMENTS_KEY, "task", taskId],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/payments/v3/tasks/{taskID}",
          { path: { taskID: taskId } },
          { signal },
        )
      ).data,
  });
