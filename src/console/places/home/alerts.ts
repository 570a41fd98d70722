import { type AlertSource, ROWS_MAX, together } from "./alert-source.ts";
import type { Alert } from "./alert.ts";
import { deliveries, endpoints } from "./delivery-alerts.ts";
import { inconsistencyAlerts } from "./inconsistencies.ts";
import { corrections, matchings } from "./item-alerts.ts";
import { daysAgo, LEDGERS_MAX, NEWS_DAYS } from "./queries.ts";
import { homeWords } from "./words.ts";
import { boundLedgers, florin, may, session } from "#console/api/florin.ts";
import { formatCount } from "#console/parts/base/count.ts";
import { stringifyJson } from "#platform/json.ts";

const instances: AlertSource = {
  kind: "instances",
  scope: "orchestration:read",
  read: async ({ signal }) => {
    const found = await Promise.all(
      (["stuck", "failed"] as const).map(async (status) => {
        const { cursor } = await florin.get(
          "/api/orchestration/v2/instances",
          { query: { status, pageSize: ROWS_MAX } },
          { signal },
        );
        const rows = cursor.data
          .filter(({ updatedAt }) => status === "stuck" || updatedAt > daysAgo(NEWS_DAYS))
          .map(({ id, updatedAt, hold, workflow, error }) => ({
            id,
            since: hold?.since ?? updatedAt,
            note: workflow?.config.name ?? error,
          }));
        return together(rows, {
          kind: status,
          tone: status === "stuck" ? "warn" : "bad",
          hasMore: cursor.hasMore && rows.length === cursor.data.length,
          title: homeWords().attention[status],
          list: `/workflows/instances?status=${status}`,
          pathOf: ({ id }) => `/workflows/instances/${encodeURIComponent(id)}`,
        });
      }),
    );
    return found.flat();
  },
};

/** Payments that the person may approve: with four eyes, those of others. */
const initiations: AlertSource = {
  kind: "initiations",
  scope: "payments:write",
  read: async ({ signal }) => {
    const query = stringifyJson({ $match: { status: "WAITING_FOR_VALIDATION" } });
    const { cursor } = await florin.get(
      "/api/payments/v3/payment-initiations",
      { query: { query, pageSize: ROWS_MAX } },
      { signal },
    );
    const me = session.state.kind === "person" ? session.state.grant.subject : undefined;
    const rows = cursor.data
      .filter(({ needsSecondPerson, createdBy }) => !needsSecondPerson || createdBy !== me)
      .map(({ id, createdAt, reference }) => ({ id, since: createdAt, note: reference }));
    return together(rows, {
      kind: "initiations",
      tone: "waits",
      hasMore: cursor.hasMore,
      title: homeWords().attention.initiations,
      list: "/payments/initiations?status=WAITING_FOR_VALIDATION",
      pathOf: ({ id }) => `/payments/initiations/${encodeURIComponent(id)}`,
    });
  },
};

const connectors: AlertSource = {
  kind: "connectors",
  scope: "payments:read",
  read: async ({ signal }) => {
    const { cursor } = await florin.get(
      "/api/florin/v1/payments/connectors/health",
      { query: { pageSize: ROWS_MAX } },
      { signal },
    );
    return cursor.data.flatMap(({ connectorID, name, status, since, lastError }): Alert[] => {
      if (status === "healthy" || status === "uninstalling") return [];
      return [
        {
          id: connectorID,
          tone: status === "degraded" ? "warn" : "bad",
          title: homeWords().attention.connector[status],
          note: lastError === undefined ? name : `${name}: ${lastError}`,
          since,
          path: `/payments/connectors/${encodeURIComponent(connectorID)}`,
        },
      ];
    });
  },
};

const bookings: AlertSource = {
  kind: "bookings",
  scope: "payments:read",
  read: async ({ signal }) => {
    const { cursor } = await florin.get(
      "/api/florin/v1/payments/bookings",
      { query: { pageSize: ROWS_MAX } },
      { signal },
    );
    return cursor.data.flatMap(({ id, failed, error, ledger, updatedAt }): Alert[] => {
      if (failed === 0 && error === undefined) return [];
      const words = homeWords().attention;
      return [
        {
          id,
          tone: failed > 0 ? "bad" : "warn",
          title: failed > 0 ? words.booking(formatCount(failed)) : words.bookingWaits,
          note: error === undefined ? ledger : `${ledger}: ${error}`,
          since: updatedAt,
          path: `/payments/bookings/${encodeURIComponent(id)}`,
        },
      ];
    });
  },
};

/** What rules have found, and nobody looks into yet. What somebody has silenced waits until then. */
const reconciliation: AlertSource = {
  kind: "reconciliation",
  scope: "reconciliation:read",
  read: async ({ signal }) => {
    const query = stringifyJson({ $match: { status: "OPEN" } });
    const { cursor } = await florin.get(
      "/api/reconciliation/alerts",
      { query: { query, pageSize: ROWS_MAX } },
      { signal },
    );
    const now = Date.now();
    const open = cursor.data.filter(
      ({ snooze }) => snooze === undefined || Date.parse(snooze.until) <= now,
    );
    const rows = open.map(({ id, firstSeenAt, fingerprint, evidence: { error } = {} }) => ({
      id,
      since: firstSeenAt,
      note: typeof error === "string" ? error : fingerprint.replaceAll(SUBJECT_KEYS, " ").trim(),
    }));
    return together(rows, {
      kind: "reconciliation",
      tone: open.some(({ severity }) => GRAVE.has(severity)) ? "bad" : "warn",
      hasMore: cursor.hasMore,
      title: homeWords().attention.reconciliation,
      list: "/reconciliation/alerts",
      pathOf: ({ id }) => `/reconciliation/alerts/${encodeURIComponent(id)}`,
    });
  },
};

const GRAVE: ReadonlySet<string> = new Set(["high", "critical"]);
/** What a fingerprint has before an asset and an account: `asset:EUR/2|account:users:42`. */
const SUBJECT_KEYS = /^asset:|\|account:/g;

/** Ledgers whose last verification found differences. */
const verifications: AlertSource = {
  kind: "verifications",
  scope: "ledger:read",
  read: async ({ signal }) => {
    const { cursor } = await florin.get(
      "/api/florin/v1/inconsistent-ledgers",
      { query: { pageSize: ROWS_MAX } },
      { signal },
    );
    return inconsistencyAlerts(cursor.data, homeWords().attention.verification);
  },
};

const pipelines: AlertSource = {
  kind: "pipelines",
  scope: "ledger:read",
  read: async ({ ledgers, signal }) => {
    const found = await Promise.all(
      ledgers.slice(0, LEDGERS_MAX).map(async (ledger) => {
        const { data } = await florin.get(
          "/api/florin/v1/ledgers/{ledger}/pipelines",
          { path: { ledger } },
          { signal },
        );
        return data.filter(({ state }) => state === "failing");
      }),
    );
    return found.flat().map(({ id, ledger, lastError, createdAt }) => ({
      id,
      tone: "bad",
      title: homeWords().attention.pipeline,
      note: lastError === undefined ? ledger : `${ledger}: ${lastError.message}`,
      since: lastError?.since ?? createdAt,
      path: `/ledgers/${encodeURIComponent(ledger)}/exporters`,
    }));
  },
};

/** What the person may look at, in the order of their urgency. */
export const alertSources = (): readonly AlertSource[] =>
  [
    verifications,
    reconciliation,
    corrections,
    initiations,
    connectors,
    endpoints,
    deliveries,
    instances,
    bookings,
    matchings,
    pipelines,
  ].filter(({ scope }) =>
    scope === "webhooks:read" ? may(scope) && boundLedgers().length === 0 : may(scope),
  );
