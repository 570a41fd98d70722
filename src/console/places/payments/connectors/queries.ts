import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import { pageParameters, PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type ConnectorHealth = Schemas["PaymentConnectorHealth"];
export type Schedule = ConnectorHealth["schedules"][number];
export type ScheduleRun = Schemas["PaymentScheduleInstance"];
export type RejectedItem = Schemas["PaymentRejectedItem"];
export type ConnectorConfig = Schemas["PaymentConnectorConfig"];
/** Each kind has its own members, and so the document names none. */
export type ConfigRequest = Schemas["PaymentConnectorConfigRequest"];
export type ConfigFields = Schemas["PaymentConnectorConfigs"]["data"][string];
export type Capability = Schemas["PaymentConnectorCapabilities"]["data"][string][number];

/** The keys of the queries of a connector. */
const keyOf = (id: string) => [...PAYMENTS_KEY, "connector", id] as const;

/** Time between two reads of the health of a connector that is shown, in milliseconds. */
const HEALTH_MS = 5000;

export const healthQuery = (id: string) =>
  queryOptions({
    queryKey: [...keyOf(id), "health"],
    refetchInterval: HEALTH_MS,
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/payments/connectors/{connectorID}/health",
          { path: { connectorID: id } },
          { signal },
        )
      ).data,
  });

export const configQuery = (id: string) =>
  queryOptions({
    queryKey: [...keyOf(id), "config"],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/payments/v3/connectors/{connectorID}/config",
          { path: { connectorID: id } },
          { signal },
        )
      ).data,
  });

/** The fields of the configurations of all kinds of connectors. */
export const fieldsQuery = () =>
  queryOptions({
    queryKey: [...PAYMENTS_KEY, "config-fields"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) =>
      (await florin.get("/api/payments/v3/connectors/configs", {}, { signal })).data,
  });

/** What the kinds of connectors can do. */
export const capabilitiesQuery = () =>
  queryOptions({
    queryKey: [...PAYMENTS_KEY, "capabilities"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) =>
      (await florin.get("/api/payments/v3/connectors/capabilities", {}, { signal })).data,
  });

/** The last runs of a schedule, newest first. */
export const runsQuery = (id: string, scheduleId: string) =>
  pages<ScheduleRun>([...keyOf(id), "runs", scheduleId], (cursor, signal) =>
    florin.get(
      "/api/payments/v3/connectors/{connectorID}/schedules/{scheduleID}/instances",
      {
        path: { connectorID: id, scheduleID: scheduleId },
        query: pageParameters(cursor, undefined),
      },
      { signal },
    ),
  );

export const rejectedQuery = (id: string) =>
  pages<RejectedItem>([...keyOf(id), "rejected"], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/payments/connectors/{connectorID}/rejected",
      { path: { connectorID: id }, query: pageParameters(cursor, undefined) },
      { signal },
    ),
  );
