import { type AlertSource, ROWS_MAX, together } from "./alert-source.ts";
import { failingEndpoints } from "./failing-endpoints.ts";
import { daysAgo, NEWS_DAYS } from "./queries.ts";
import { homeWords } from "./words.ts";
import { florin } from "#console/api/florin.ts";

/** Endpoints that do not answer, or refuse, while their deliveries are tried again. */
export const endpoints: AlertSource = {
  kind: "endpoints",
  scope: "webhooks:read",
  read: async ({ signal }) => {
    const { cursor } = await florin.get(
      "/api/webhooks/deliveries",
      { query: { status: "pending", createdAtFrom: daysAgo(NEWS_DAYS), pageSize: ROWS_MAX } },
      { signal },
    );
    return together(failingEndpoints(cursor.data), {
      kind: "endpoints",
      tone: "bad",
      hasMore: cursor.hasMore,
      title: homeWords().attention.endpoints,
      list: "/developers/webhooks",
      pathOf: ({ id }) => `/developers/webhooks/${encodeURIComponent(id)}`,
    });
  },
};

/** Deliveries that were given up. */
export const deliveries: AlertSource = {
  kind: "deliveries",
  scope: "webhooks:read",
  read: async ({ signal }) => {
    const { cursor } = await florin.get(
      "/api/webhooks/deliveries",
      { query: { status: "failed", createdAtFrom: daysAgo(NEWS_DAYS), pageSize: ROWS_MAX } },
      { signal },
    );
    const rows = cursor.data.map(({ id, createdAt, configID, lastError }) => ({
      id: configID,
      key: id,
      since: createdAt,
      note: lastError,
    }));
    return together(rows, {
      kind: "deliveries",
      tone: "bad",
      hasMore: cursor.hasMore,
      title: homeWords().attention.deliveries,
      list: "/developers/webhooks",
      pathOf: ({ id }) => `/developers/webhooks/${encodeURIComponent(id)}`,
    });
  },
};
