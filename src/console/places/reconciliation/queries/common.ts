import { queryOptions } from "@tanstack/react-query";
import { florin, may } from "#console/api/florin.ts";
import { PAGE_SIZE } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type Rule = Schemas["Rule"];
export type RuleSchedule = Schemas["FlorinRuleSchedule"];
export type Evaluation = Schemas["Evaluation"];
export type RuleAlert = Schemas["Alert"];
export type AlertEvent = Schemas["AlertEvent"];
export type Policy = Schemas["Policy"];
export type Reconciliation = Schemas["Reconciliation"];
export type Severity = RuleAlert["severity"];

/** The beginning of the keys of all queries of the place. */
export const RECONCILIATION_KEY = ["reconciliation"] as const;

/** Time between two reads of what runs and alerts change, in milliseconds. */
export const LIVE_MS = 10_000;

/** Time for which the names of ledgers and pools count as current, in milliseconds. */
const NAMES_CURRENT_MS = 30_000;
/** Most pools that a menu offers. */
const MENU_MAX = 200;

/** The parameters of a page of a list: its filter on the first one, then the cursor. */
export const pageParameters = (cursor: string | undefined, filter: string | undefined) =>
  cursor === undefined ? { pageSize: PAGE_SIZE, query: filter } : { cursor };

/** The first ledgers by name, which inputs suggest. */
export const ledgerNamesQuery = () =>
  queryOptions({
    queryKey: [...RECONCILIATION_KEY, "ledger-names"],
    staleTime: NAMES_CURRENT_MS,
    enabled: may("ledger:read"),
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get(
        "/api/ledger/v2",
        { query: { pageSize: PAGE_SIZE } },
        { signal },
      );
      return cursor.data.map(({ name }) => name);
    },
  });

/** The pools for menus and names, newest first. */
export const poolNamesQuery = () =>
  queryOptions({
    queryKey: [...RECONCILIATION_KEY, "pool-names"],
    staleTime: NAMES_CURRENT_MS,
    enabled: may("payments:read"),
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get(
        "/api/payments/v3/pools",
        { query: { pageSize: MENU_MAX } },
        { signal },
      );
      return cursor.data.map(({ id, name }) => ({ id, name }));
    },
  });
