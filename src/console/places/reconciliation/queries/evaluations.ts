import { queryOptions } from "@tanstack/react-query";
import { type Evaluation, pageParameters, RECONCILIATION_KEY } from "./common.ts";
import { ofRule } from "./rules.ts";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import { stringifyJson } from "#platform/json.ts";

/** The runs of a rule, newest first. */
export const evaluationsQuery = (ruleId: string) => {
  const filter = stringifyJson(ofRule(ruleId));
  return pages<Evaluation>([...RECONCILIATION_KEY, "rule", ruleId, "runs"], (cursor, signal) =>
    florin.get(
      "/api/reconciliation/evaluations",
      { query: pageParameters(cursor, filter) },
      { signal },
    ),
  );
};

/** A run of a rule, which never changes. */
export const evaluationQuery = (id: string) =>
  queryOptions({
    queryKey: [...RECONCILIATION_KEY, "evaluation", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/reconciliation/evaluations/{evaluationID}",
          { path: { evaluationID: id } },
          { signal },
        )
      ).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
