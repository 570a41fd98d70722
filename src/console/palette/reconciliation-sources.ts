import { pathOf } from "./hits.ts";
import { HITS_MAX, type Source } from "./source.ts";
import { florin } from "#console/api/florin.ts";
import { stringifyJson } from "#platform/json.ts";

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A filter for what has a text in its name, or as its id. */
const byIdOrName = (text: string): string =>
  stringifyJson(UUID.test(text) ? { $match: { id: text } } : { $like: { name: `%${text}%` } });

const rules: Source = {
  kind: "rules",
  scope: "reconciliation:read",
  find: async ({ text, signal }) => {
    const { cursor } = await florin.get(
      "/api/reconciliation/rules",
      { query: { pageSize: HITS_MAX, query: byIdOrName(text) } },
      { signal },
    );
    return cursor.data.map(({ id, name }) => ({
      path: pathOf`/reconciliation/rules/${id}`,
      title: name,
      note: id,
    }));
  },
};

const policies: Source = {
  kind: "policies",
  scope: "reconciliation:read",
  find: async ({ text, signal }) => {
    const { cursor } = await florin.get(
      "/api/reconciliation/policies",
      { query: { pageSize: HITS_MAX, query: byIdOrName(text) } },
      { signal },
    );
    return cursor.data.map(({ id, name, ledgerName }) => ({
      path: pathOf`/reconciliation/policies/${id}`,
      title: name,
      note: ledgerName,
    }));
  },
};

/** Alerts have no name: they are found by their id, and by the account and asset that they are about. */
const alerts: Source = {
  kind: "alerts",
  scope: "reconciliation:read",
  find: async ({ text, signal }) => {
    const filter = UUID.test(text)
      ? { $match: { id: text } }
      : { $like: { fingerprint: `%:${text}%` } };
    const { cursor } = await florin.get(
      "/api/reconciliation/alerts",
      { query: { pageSize: HITS_MAX, query: stringifyJson(filter) } },
      { signal },
    );
    return cursor.data.map(({ id, fingerprint, periodID, status }) => ({
      path: pathOf`/reconciliation/alerts/${id}`,
      title: fingerprint.replace(ASSET, "$1 $2").trim(),
      note: `${status} · ${periodID}`,
    }));
  },
};

/** A fingerprint of an asset, perhaps of an account. */
const ASSET = /^asset:(.*?)(?:\|account:(.*))?$/s;

const matchings: Source = {
  kind: "matchings",
  scope: "reconciliation:read",
  find: async ({ text, signal }) => {
    const { cursor } = await florin.get(
      "/api/florin/v1/reconciliation/matchings",
      { query: { pageSize: HITS_MAX, query: byIdOrName(text) } },
      { signal },
    );
    return cursor.data.map(({ id, name }) => ({
      path: pathOf`/reconciliation/matchings/${id}`,
      title: name,
      note: id,
    }));
  },
};

const lineSources: Source = {
  kind: "sources",
  scope: "reconciliation:read",
  find: async ({ text, signal }) => {
    const { cursor } = await florin.get(
      "/api/florin/v1/reconciliation/sources",
      { query: { pageSize: HITS_MAX, query: byIdOrName(text) } },
      { signal },
    );
    return cursor.data.map(({ id, name }) => ({
      path: pathOf`/reconciliation/sources/${id}`,
      title: name,
      note: id,
    }));
  },
};

export const reconciliationSources: readonly Source[] = [
  rules,
  policies,
  alerts,
  matchings,
  lineSources,
];
