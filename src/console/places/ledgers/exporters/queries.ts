import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import type { components } from "#openapi";

export type Pipeline = components["schemas"]["PipelineState"];
export type Exporter = components["schemas"]["V2Exporter"];

/** Time between two looks at the pipelines, in milliseconds. */
const LOOK_MS = 5000;

/** The pipelines of a ledger, of which there are few, with their state and lag. */
export const pipelinesQuery = (ledger: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "pipelines"],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/ledgers/{ledger}/pipelines",
          { path: { ledger } },
          { signal },
        )
      ).data,
    refetchInterval: LOOK_MS,
  });

/** All exporters of the deployment, of which there are few. */
export const exportersQuery = () =>
  queryOptions({
    queryKey: ["exporters"],
    queryFn: async ({ signal }) =>
      (await florin.get("/api/ledger/v2/_/exporters", {}, { signal })).cursor.data,
  });
