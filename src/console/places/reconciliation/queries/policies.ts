import { queryOptions } from "@tanstack/react-query";
import { pageParameters, type Policy, type Reconciliation, RECONCILIATION_KEY } from "./common.ts";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import { stringifyJson } from "#platform/json.ts";

/** The policies that fit a filter, newest first. */
export const policiesQuery = (filter: string | undefined) =>
  pages<Policy>([...RECONCILIATION_KEY, "policies", filter], (cursor, signal) =>
    florin.get(
      "/api/reconciliation/policies",
      { query: pageParameters(cursor, filter) },
      { signal },
    ),
  );

const keyOf = (id: string) => [...RECONCILIATION_KEY, "policy", id] as const;

export const policyQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(id),
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/reconciliation/policies/{policyID}",
          { path: { policyID: id } },
          { signal },
        )
      ).data,
  });

/** The filter for the reconciliations of a policy. */
export const ofPolicy = (id: string): string => stringifyJson({ $match: { policyID: id } });

/** The reconciliations of a policy, newest first. */
export const reconciliationsQuery = (policyId: string) =>
  pages<Reconciliation>([...keyOf(policyId), "reconciliations"], (cursor, signal) =>
    florin.get(
      "/api/reconciliation/reconciliations",
      { query: pageParameters(cursor, ofPolicy(policyId)) },
      { signal },
    ),
  );

/** A reconciliation, which never changes. */
export const reconciliationQuery = (id: string) =>
  queryOptions({
    queryKey: [...RECONCILIATION_KEY, "reconciliation", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/reconciliation/reconciliations/{reconciliationID}",
          { path: { reconciliationID: id } },
          { signal },
        )
      ).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
