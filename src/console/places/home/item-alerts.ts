import { type AlertSource, ROWS_MAX, together } from "./alert-source.ts";
import { homeWords } from "./words.ts";
import { boundLedgers, florin, may, session } from "#console/api/florin.ts";
import { allowsLedger } from "#console/api/ledger-patterns.ts";
import { stringifyJson } from "#platform/json.ts";

/** Matchings of which the last run is looked at, the newest ones. */
const MATCHINGS_MAX = 50;

/** Write-offs that the person may confirm as the second one, which books them. */
export const corrections: AlertSource = {
  kind: "corrections",
  scope: "reconciliation:write",
  read: async ({ signal }) => {
    if (!may("ledger:write")) return [];
    const query = stringifyJson({ $match: { state: "waiting" } });
    const { cursor } = await florin.get(
      "/api/florin/v1/reconciliation/corrections",
      { query: { query, pageSize: ROWS_MAX } },
      { signal },
    );
    const me = session.state.kind === "person" ? session.state.grant.subject : undefined;
    const bound = boundLedgers();
    const rows = cursor.data
      .filter(({ requestedBy }) => requestedBy.subject !== me)
      .filter(({ ledger }) => bound.length === 0 || allowsLedger(bound, ledger))
      .map(({ matchingID, line, createdAt, note }) => ({
        id: `${encodeURIComponent(matchingID)}/breaks/${line}`,
        since: createdAt,
        note,
      }));
    return together(rows, {
      kind: "corrections",
      tone: "waits",
      hasMore: cursor.hasMore,
      title: homeWords().attention.corrections,
      list: "/reconciliation/corrections?state=waiting",
      pathOf: ({ id }) => `/reconciliation/matchings/${id}`,
    });
  },
};

/** Matchings whose last run has failed. */
export const matchings: AlertSource = {
  kind: "matchings",
  scope: "reconciliation:read",
  read: async ({ signal }) => {
    const { cursor } = await florin.get(
      "/api/florin/v1/reconciliation/matchings",
      { query: { pageSize: MATCHINGS_MAX } },
      { signal },
    );
    const rows = cursor.data.flatMap(({ id, name, lastRun }) =>
      lastRun?.state === "failed"
        ? [{ id, since: lastRun.startedAt, note: `${name}: ${lastRun.error ?? ""}` }]
        : [],
    );
    return together(rows, {
      kind: "matchings",
      tone: "bad",
      hasMore: false,
      title: homeWords().attention.matchings,
      list: "/reconciliation/matchings",
      pathOf: ({ id }) => `/reconciliation/matchings/${encodeURIComponent(id)}`,
    });
  },
};
