import type { InstanceFilter } from "./queries.ts";
import { toWire, type WireRequest } from "#console/api/client.ts";
import { PAGE_SIZE } from "#console/parts/table/pages.ts";

const FIRST_PAGE = { pageSize: PAGE_SIZE, sort: "createdAt:desc" };

/** What the list of workflows reads. */
export const workflowsRequests = (): WireRequest[] => [
  toWire("get", "/api/orchestration/v2/workflows", { query: FIRST_PAGE }),
  toWire("get", "/api/florin/v1/instances/counts", {}),
];

/** What the page of a workflow reads. */
export const workflowRequests = (flowId: string): WireRequest[] => [
  toWire("get", "/api/orchestration/v2/workflows/{flowId}", { path: { flowId } }),
  toWire("get", "/api/florin/v1/instances/counts", { query: { workflowID: flowId } }),
];

/** What the list of instances reads. */
export const instancesRequests = (filter: InstanceFilter): WireRequest[] => [
  toWire("get", "/api/orchestration/v2/instances", { query: { ...FIRST_PAGE, ...filter } }),
];

/** What the page of an instance reads. */
export const instanceRequests = (instanceID: string): WireRequest[] => [
  toWire("get", "/api/orchestration/v2/instances/{instanceID}", { path: { instanceID } }),
  toWire("get", "/api/florin/v1/instances/{instanceID}/timeline", { path: { instanceID } }),
  toWire("get", "/api/orchestration/v2/instances/{instanceID}/history", { path: { instanceID } }),
];

/** What the list of triggers reads. */
export const triggersRequests = (name: string | undefined): WireRequest[] => [
  toWire("get", "/api/orchestration/v2/triggers", { query: { ...FIRST_PAGE, name } }),
];

/** What the page of a trigger reads. */
export const triggerRequests = (triggerID: string): WireRequest[] => [
  toWire("get", "/api/orchestration/v2/triggers/{triggerID}", { path: { triggerID } }),
  toWire("get", "/api/florin/v1/triggers/{triggerID}/work", { path: { triggerID } }),
  toWire("get", "/api/orchestration/v2/triggers/{triggerID}/occurrences", {
    path: { triggerID },
    query: FIRST_PAGE,
  }),
];
