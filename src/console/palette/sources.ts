import { type Hit, pathOf } from "./hits.ts";
import { ledgerSources } from "./ledger-sources.ts";
import { hasText } from "./pages.ts";
import { paymentSources } from "./payment-sources.ts";
import { reconciliationSources } from "./reconciliation-sources.ts";
import { HITS_MAX, type Search, type Source } from "./source.ts";
import { boundLedgers, florin, may } from "#console/api/florin.ts";

/** Rows of a list without filters, which is read once in a while and searched here. */
const LISTED_MAX = 50;
const LISTED_MS = 60_000;

/** A list without filters, which one read a minute gives. */
export const listed = (
  { queries }: Search,
  name: string,
  read: () => Promise<readonly Hit[]>,
): Promise<readonly Hit[]> =>
  queries.fetchQuery({
    queryKey: ["palette", "listed", name],
    queryFn: read,
    staleTime: LISTED_MS,
  });

const among = (hits: readonly Hit[], text: string): readonly Hit[] =>
  hits.filter((hit) => hasText(hit, text)).slice(0, HITS_MAX);

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** Ids of requests, as answers have them. */
const REQUEST_ID = /^[\w-]{8,128}$/;

const wallets: Source = {
  kind: "wallets",
  scope: "wallets:read",
  find: async (search) => {
    const { text, signal } = search;
    const newest = await listed(search, "wallets", async () => {
      const { cursor } = await florin.get("/api/wallets/wallets", {
        query: { pageSize: LISTED_MAX },
      });
      return cursor.data.map(walletHit);
    });
    const found = among(newest, text);
    if (found.length > 0) return found;
    const { cursor } = await florin.get(
      "/api/wallets/wallets",
      { query: { name: text, pageSize: HITS_MAX } },
      { signal },
    );
    return cursor.data.map(walletHit);
  },
};

const walletHit = ({ id, name }: { id: string; name: string }): Hit => ({
  path: pathOf`/wallets/${id}`,
  title: name,
  note: id,
});

const workflows: Source = {
  kind: "workflows",
  scope: "orchestration:read",
  find: async (search) => {
    const all = await listed(search, "workflows", async () => {
      const { cursor } = await florin.get("/api/orchestration/v2/workflows", {
        query: { pageSize: LISTED_MAX },
      });
      return cursor.data.map(({ id, config }) => ({
        path: pathOf`/workflows/${id}`,
        title: config.name ?? id,
        note: id,
      }));
    });
    return among(all, search.text);
  },
};

const instances: Source = {
  kind: "instances",
  scope: "orchestration:read",
  find: async (search) => {
    if (!UUID.test(search.text)) return [];
    const newest = await listed(search, "instances", async () => {
      const { cursor } = await florin.get("/api/orchestration/v2/instances", {
        query: { pageSize: LISTED_MAX },
      });
      return cursor.data.map(({ id, workflow, workflowID }) => ({
        path: pathOf`/workflows/instances/${id}`,
        title: id,
        note: workflow?.config.name ?? workflowID,
      }));
    });
    return among(newest, search.text);
  },
};

const webhooks: Source = {
  kind: "webhooks",
  scope: "webhooks:read",
  isOfAll: true,
  find: async (search) => {
    const all = await listed(search, "webhooks", async () => {
      const { cursor } = await florin.get("/api/webhooks/configs", {});
      return cursor.data.map(({ id, endpoint, name }) => ({
        path: pathOf`/developers/webhooks/${id}`,
        title: name ?? endpoint,
        note: name === undefined ? id : endpoint,
      }));
    });
    return among(all, search.text);
  },
};

const clients: Source = {
  kind: "clients",
  scope: "auth:read",
  isOfAll: true,
  find: async (search) => {
    const all = await listed(search, "clients", async () => {
      const { data } = await florin.get("/api/auth/clients", {});
      return data.map(({ id, name }) => ({
        path: pathOf`/access/clients/${id}`,
        title: name,
        note: id,
      }));
    });
    return among(all, search.text);
  },
};

const people: Source = {
  kind: "people",
  scope: "auth:read",
  isOfAll: true,
  find: async (search) => {
    const all = await listed(search, "people", async () => {
      const { data } = await florin.get("/api/florin/v1/users", {});
      return data.map(({ id, name, email, subject }) => ({
        path: pathOf`/access/people/${id}`,
        title: name ?? email ?? subject ?? id,
        note: email ?? id,
      }));
    });
    return among(all, search.text);
  },
};

const requests: Source = {
  kind: "requests",
  scope: "florin:operate",
  find: async ({ text, signal }) => {
    if (!REQUEST_ID.test(text) || !/\d/.test(text)) return [];
    const { cursor } = await florin.get(
      "/api/florin/v1/requests/failed",
      { query: { requestId: text, pageSize: 1 } },
      { signal },
    );
    return cursor.data.map(({ requestId, method, path, status }) => ({
      path: pathOf`/developers/requests/${requestId}`,
      title: requestId,
      note: `${status} ${method} ${path}`,
    }));
  },
};

/** All kinds of objects, in the order in which their hits are shown. */
const SOURCES: readonly Source[] = [
  ...ledgerSources,
  ...paymentSources,
  wallets,
  ...reconciliationSources,
  workflows,
  instances,
  webhooks,
  clients,
  people,
  requests,
];

/** The kinds that the person may read. */
export const sourcesFor = (): readonly Source[] =>
  SOURCES.filter(
    ({ scope, isOfAll = false }) => may(scope) && !(isOfAll && boundLedgers().length > 0),
  );
