import { queryOptions } from "@tanstack/react-query";
import { pageParameters, RECONCILIATION_KEY } from "./common.ts";
import { florin, may } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type ItemSource = Schemas["Source"];
export type SourceKind = ItemSource["kind"];
export type StatementSource = Extract<ItemSource, { readonly kind: "statement" }>;
export type SourceRequest = Schemas["SourceRequest"];
export type SourcePatch = Schemas["SourcePatchRequest"];
export type Statement = Schemas["Statement"];
export type StatementHead = Schemas["StatementHead"];
export type StatementLine = Schemas["StatementLine"];
export type StatementRefusal = Schemas["StatementRefusal"];
export type StatementPreview = Schemas["StatementPreview"];
export type StatementFormat = NonNullable<Statement["format"]>;

/** The beginning of the keys of what uploads and changes of sources change. */
export const SOURCES_KEY = [...RECONCILIATION_KEY, "sources"] as const;

/** Time for which the name of a source counts as current, in milliseconds. */
const NAME_CURRENT_MS = 60_000;
/** Most sources and connectors that a menu offers. */
const MENU_MAX = 100;
/** Time between two reads of the statements while a file is read, in milliseconds. */
export const READING_MS = 1500;

/** The sources that fit a filter, newest first. */
export const sourcesQuery = (filter: string | undefined) =>
  pages<ItemSource>([...SOURCES_KEY, "list", filter], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/reconciliation/sources",
      { query: pageParameters(cursor, filter) },
      { signal },
    ),
  );

/** The newest sources, for menus. */
export const sourceMenuQuery = () =>
  queryOptions({
    queryKey: [...SOURCES_KEY, "menu"],
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get(
        "/api/florin/v1/reconciliation/sources",
        { query: { pageSize: MENU_MAX } },
        { signal },
      );
      return cursor.data;
    },
  });

export const sourceQuery = (sourceID: string) =>
  queryOptions({
    queryKey: [...SOURCES_KEY, "source", sourceID],
    staleTime: NAME_CURRENT_MS,
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/sources/{sourceID}",
          { path: { sourceID } },
          { signal },
        )
      ).data,
  });

/** The connectors for menus and names. */
export const connectorMenuQuery = () =>
  queryOptions({
    queryKey: [...RECONCILIATION_KEY, "connector-names"],
    staleTime: NAME_CURRENT_MS,
    enabled: may("payments:read"),
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get(
        "/api/payments/v3/connectors",
        { query: { pageSize: MENU_MAX } },
        { signal },
      );
      return cursor.data.map(({ id, name }) => ({ id, name }));
    },
  });

/** The files of a source, newest first. */
export const statementsQuery = (sourceID: string) =>
  pages<Statement>([...SOURCES_KEY, "source", sourceID, "statements"], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/reconciliation/sources/{sourceID}/statements",
      { path: { sourceID }, query: pageParameters(cursor, undefined) },
      { signal },
    ),
  );

interface StatementPlace {
  readonly sourceID: string;
  readonly statementID: string;
}

export const statementQuery = ({ sourceID, statementID }: StatementPlace) =>
  queryOptions({
    queryKey: [...SOURCES_KEY, "source", sourceID, "statement", statementID],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/reconciliation/sources/{sourceID}/statements/{statementID}",
          { path: { sourceID, statementID } },
          { signal },
        )
      ).data,
    refetchInterval: ({ state }) => (state.data?.state === "reading" ? READING_MS : false),
  });

/** The lines of a file, in the order of the file. `state` is that of the statement: a file that is read has more lines later. */
export const statementLinesQuery = (
  { sourceID, statementID }: StatementPlace,
  state: Statement["state"],
) =>
  pages<StatementLine>(
    [...SOURCES_KEY, "source", sourceID, "statement", statementID, "lines", state],
    (cursor, signal) =>
      florin.get(
        "/api/florin/v1/reconciliation/sources/{sourceID}/statements/{statementID}/lines",
        { path: { sourceID, statementID }, query: pageParameters(cursor, undefined) },
        { signal },
      ),
  );
