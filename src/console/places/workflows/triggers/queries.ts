import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { PAGE_SIZE, pages } from "#console/parts/table/pages.ts";
import {
  type Occurrence,
  ORCHESTRATION_KEY,
  type Trigger,
} from "#console/places/workflows/queries.ts";

const NEWEST_FIRST = "createdAt:desc";

export const triggersQuery = (name: string | undefined) =>
  pages<Trigger>([...ORCHESTRATION_KEY, "triggers", name], (cursor, signal) =>
    florin.get(
      "/api/orchestration/v2/triggers",
      {
        query:
          cursor === undefined ? { pageSize: PAGE_SIZE, sort: NEWEST_FIRST, name } : { cursor },
      },
      { signal },
    ),
  );

export const triggerQuery = (id: string) =>
  queryOptions({
    queryKey: [...ORCHESTRATION_KEY, "trigger", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/orchestration/v2/triggers/{triggerID}",
          { path: { triggerID: id } },
          { signal },
        )
      ).data,
  });

export const workQuery = (id: string) =>
  queryOptions({
    queryKey: [...ORCHESTRATION_KEY, "trigger", id, "work"],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/triggers/{triggerID}/work",
          { path: { triggerID: id } },
          { signal },
        )
      ).data,
  });

export const occurrencesQuery = (id: string) =>
  pages<Occurrence>([...ORCHESTRATION_KEY, "trigger", id, "occurrences"], (cursor, signal) =>
    florin.get(
      "/api/orchestration/v2/triggers/{triggerID}/occurrences",
      {
        path: { triggerID: id },
        query: cursor === undefined ? { pageSize: PAGE_SIZE, sort: NEWEST_FIRST } : { cursor },
      },
      { signal },
    ),
  );

/** Past transactions that are offered. */
const TRANSACTIONS_MAX = 8;

/** The last transactions of a ledger, as events show them. */
export const transactionEventsQuery = (ledger: string) =>
  queryOptions({
    queryKey: [...ORCHESTRATION_KEY, "past transactions", ledger],
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get(
        "/api/ledger/v2/{ledger}/transactions",
        {
          path: { ledger },
          query: { pageSize: TRANSACTIONS_MAX, expand: ["volumes", "effectiveVolumes"] },
        },
        { signal },
      );
      return cursor.data;
    },
  });

/** The first ledgers by name, to choose from. */
export const ledgerNamesQuery = () =>
  queryOptions({
    queryKey: [...ORCHESTRATION_KEY, "ledger names"],
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get(
        "/api/ledger/v2",
        { query: { pageSize: PAGE_SIZE } },
        { signal },
      );
      return cursor.data.map(({ name }) => name);
    },
  });
