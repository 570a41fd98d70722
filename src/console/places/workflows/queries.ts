import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { PAGE_SIZE, pages } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type Workflow = Schemas["Workflow"];
export type Instance = Schemas["WorkflowInstance"];
export type Moment = Schemas["WorkflowInstanceMoment"];
export type Activity = Schemas["WorkflowInstanceActivity"];
export type InstanceState = NonNullable<Instance["state"]>;
export type Trigger = Schemas["Trigger"];
export type Occurrence = Schemas["TriggerOccurrence"];

const NEWEST_FIRST = "createdAt:desc";

/** The beginning of the keys of all queries of the place. */
export const ORCHESTRATION_KEY = ["orchestration"] as const;

export const workflowsQuery = () =>
  pages<Workflow>([...ORCHESTRATION_KEY, "workflows"], (cursor, signal) =>
    florin.get(
      "/api/orchestration/v2/workflows",
      { query: cursor === undefined ? { pageSize: PAGE_SIZE, sort: NEWEST_FIRST } : { cursor } },
      { signal },
    ),
  );

export const workflowQuery = (id: string) =>
  queryOptions({
    queryKey: [...ORCHESTRATION_KEY, "workflow", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/orchestration/v2/workflows/{flowId}",
          { path: { flowId: id } },
          { signal },
        )
      ).data,
  });

/** Time between two reads of counts, in milliseconds. */
const COUNTS_MS = 10_000;

/** How many instances are in each state, of a workflow or of all. */
export const countsQuery = (workflowID?: string) =>
  queryOptions({
    queryKey: [...ORCHESTRATION_KEY, "instances", "counts", workflowID],
    queryFn: async ({ signal }) =>
      (await florin.get("/api/florin/v1/instances/counts", { query: { workflowID } }, { signal }))
        .data,
    refetchInterval: COUNTS_MS,
  });

export interface InstanceFilter {
  readonly workflowID: string | undefined;
  readonly status: InstanceState | undefined;
}

export const instancesQuery = (filter: InstanceFilter) =>
  pages<Instance>([...ORCHESTRATION_KEY, "instances", "list", filter], (cursor, signal) =>
    florin.get(
      "/api/orchestration/v2/instances",
      {
        query:
          cursor === undefined
            ? { pageSize: PAGE_SIZE, sort: NEWEST_FIRST, ...filter }
            : { cursor },
      },
      { signal },
    ),
  );

/** Time between two reads of an instance that has not ended, in milliseconds. */
export const LIVE_MS = 1000;

/** An instance, which is read again and again until it has ended. */
export const instanceQuery = (id: string) =>
  queryOptions({
    queryKey: [...ORCHESTRATION_KEY, "instance", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/orchestration/v2/instances/{instanceID}",
          { path: { instanceID: id } },
          { signal },
        )
      ).data,
    refetchInterval: ({ state: { data } }) => (data?.terminated === true ? false : LIVE_MS),
  });

/** What has happened to an instance, in parts of a thousand moments. `updatedAt` names the state of the instance that was read. */
export const timelineQuery = ({ id, updatedAt, terminated }: Instance) =>
  infiniteQueryOptions({
    queryKey: [...ORCHESTRATION_KEY, "instance", id, "timeline", updatedAt, terminated],
    queryFn: ({ pageParam, signal }) =>
      florin.get(
        "/api/florin/v1/instances/{instanceID}/timeline",
        { path: { instanceID: id }, query: { after: pageParam } },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore }, parts) =>
      hasMore ? parts.reduce((sum, { data }) => sum + data.length, 0) : undefined,
    refetchInterval: terminated ? false : LIVE_MS,
  });

/** The stages that an instance has come to, with its variables put in. */
export const stagesQuery = ({ id, updatedAt }: Instance) =>
  queryOptions({
    queryKey: [...ORCHESTRATION_KEY, "instance", id, "stages", updatedAt],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/orchestration/v2/instances/{instanceID}/history",
          { path: { instanceID: id } },
          { signal },
        )
      ).data,
  });

/** What a stage has asked other modules for. */
export const activitiesQuery = ({ id, updatedAt }: Instance, stage: number) =>
  queryOptions({
    queryKey: [...ORCHESTRATION_KEY, "instance", id, "activities", stage, updatedAt],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/orchestration/v2/instances/{instanceID}/stages/{number}/history",
          { path: { instanceID: id, number: String(stage) } },
          { signal },
        )
      ).data,
  });
