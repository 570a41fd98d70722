import { queryOptions } from "@tanstack/react-query";
import { pageParameters, RECONCILIATION_KEY, type Rule } from "./common.ts";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";

/** The rules that fit a filter, newest first. */
export const rulesQuery = (filter: string | undefined) =>
  pages<Rule>([...RECONCILIATION_KEY, "rules", filter], (cursor, signal) =>
    florin.get("/api/reconciliation/rules", { query: pageParameters(cursor, filter) }, { signal }),
  );

const keyOf = (id: string) => [...RECONCILIATION_KEY, "rule", id] as const;

export const ruleQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(id),
    queryFn: async ({ signal }) =>
      (await florin.get("/api/reconciliation/rules/{ruleID}", { path: { ruleID: id } }, { signal }))
        .data,
  });

/** The schedule of a rule, which may be one on events, with its next time. */
export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: [...keyOf(id), "schedule"],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/rules/{ruleID}/schedule",
          { path: { ruleID: id } },
          { signal },
        )
      ).data,
  });

/** The condition for what belongs to a rule. */
export const ofRule = (id: string) => ({ $match: { ruleID: id } });

/** How the last runs of a rule ended, newest first. */
export const outcomesQuery = (id: string) =>
  queryOptions({
    queryKey: [...keyOf(id), "outcomes"],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/rules/{ruleID}/outcomes",
          { path: { ruleID: id } },
          { signal },
        )
      ).data,
  });
