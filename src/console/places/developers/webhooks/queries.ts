import { queryOptions } from "@tanstack/react-query";
import { toWire } from "#console/api/client.ts";
import { ApiError } from "#console/api/errors.ts";
import { florin } from "#console/api/florin.ts";
import type { FilterValues } from "#console/parts/filters/filter-text.ts";
import { PAGE_SIZE, pages } from "#console/parts/table/pages.ts";
import { toInstant } from "#console/parts/time/instant.ts";
import type { components } from "#openapi";

export type WebhookEndpoint = components["schemas"]["WebhookConfig"];
export type Delivery = components["schemas"]["WebhookDelivery"];
export type Attempt = components["schemas"]["WebhookDeliveryAttempt"];

/** The beginning of the keys of all queries about endpoints. */
export const WEBHOOKS_KEY = ["developers", "webhooks"] as const;

/** All endpoints, last changed first. The API gives them as one list. */
export const configsQuery = () =>
  pages<WebhookEndpoint>([...WEBHOOKS_KEY, "configs"], (_cursor, signal) =>
    florin.get("/api/webhooks/configs", {}, { signal }),
  );

export const configQuery = (id: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS_KEY, "config", id],
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get("/api/webhooks/configs", { query: { id } }, { signal });
      const [config] = cursor.data;
      if (config !== undefined) return config;
      const missing = { status: 404, code: "NOT_FOUND", requestId: undefined };
      throw new ApiError("There is no webhook endpoint with this id.", missing);
    },
  });

/** Deliveries by which the health of an endpoint is told. */
export const HEALTH_DELIVERIES = 100;

export const recentDeliveriesQuery = (configId: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS_KEY, "recent", configId],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/webhooks/deliveries",
          { query: { configId, pageSize: HEALTH_DELIVERIES } },
          { signal },
        )
      ).cursor.data,
    staleTime: 10_000,
  });

/** The filters of the list of deliveries, as the API has them. */
const apiFiltersOf = (configId: string, { status, after, before }: FilterValues) => ({
  configId,
  status: status as Delivery["status"] | undefined, // The server refuses what is none, with a sentence.
  createdAtFrom: after === undefined ? undefined : toInstant(after),
  createdAtTo: before === undefined ? undefined : toInstant(before),
});

/** The deliveries to an endpoint that fit the filters, newest first. */
export const deliveriesQuery = (configId: string, values: FilterValues) =>
  pages<Delivery>([...WEBHOOKS_KEY, "deliveries", configId, values], (cursor, signal) => {
    const query =
      cursor === undefined
        ? { ...apiFiltersOf(configId, values), pageSize: PAGE_SIZE }
        : { cursor };
    return florin.get("/api/webhooks/deliveries", { query }, { signal });
  });

export const deliveriesRequest = (configId: string, values: FilterValues) =>
  toWire("get", "/api/webhooks/deliveries", { query: apiFiltersOf(configId, values) });

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS_KEY, "delivery", id],
    queryFn: async ({ signal }) =>
      (await florin.get("/api/webhooks/deliveries/{id}", { path: { id } }, { signal })).data,
  });

/** Most attempts that the page of a delivery shows. */
const ATTEMPTS_MAX = 50;

export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS_KEY, "attempts", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/webhooks/deliveries/{id}/attempts",
          { path: { id }, query: { pageSize: ATTEMPTS_MAX } },
          { signal },
        )
      ).cursor.data,
  });
