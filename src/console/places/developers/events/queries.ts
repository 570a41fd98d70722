import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import type { components } from "#openapi";

export type EventType = components["schemas"]["EventType"];

/** All types of events with their schemas. They change with a release only. */
export const eventTypesQuery = () =>
  queryOptions({
    queryKey: ["developers", "event-types"],
    queryFn: async ({ signal }) =>
      (await florin.get("/api/florin/v1/event-types", {}, { signal })).data as readonly EventType[],
    staleTime: Number.POSITIVE_INFINITY,
  });
