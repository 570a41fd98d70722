import { freshLedger, inLedger, okBodyOf } from "./api.ts";
import type { SchemaResponse } from "#modules/ledger/wire/schemas.ts";
import { type ApiInit, bodyOf } from "#test/support/platform/api.ts";

export type SchemaView = ReturnType<typeof SchemaResponse.parse>;

export interface Cursor<T> {
  readonly pageSize: number;
  readonly hasMore: boolean;
  readonly previous?: string;
  readonly next: string;
  readonly data: readonly T[];
}

/** A chart with users, who have numbers and start with the tier `basic`, and their main accounts. */
export const USERS_CHART = {
  world: {},
  bank: {},
  users: {
    $id: {
      ".pattern": "^[0-9]+$",
      ".self": {},
      ".metadata": { tier: { default: "basic" } },
      main: {},
    },
  },
};

/** A script that moves money from the world, with variables such as `{ amount: "USD/2 100", to: "users:1" }`. */
export const DEPOSIT = [
  "vars {",
  "  monetary $amount",
  "  account $to",
  "}",
  "send $amount (",
  "  source = @world",
  "  destination = $to",
  ")",
].join("\n");

/** The path of a schema. Every text can be a version. */
export const schemaPath = (version: string): string => `/schemas/${encodeURIComponent(version)}`;

interface SchemaInit extends ApiInit {
  /** The query of the URL, with its question mark. */
  readonly query?: string;
}

/** Inserts a schema; returns the answer. */
export const insertSchema = (
  ledger: string,
  version: string,
  { query = "", ...init }: SchemaInit,
): Promise<Response> =>
  inLedger(ledger, `${schemaPath(version)}${query}`, { method: "POST", ...init });

/** Creates a ledger with one schema, `v1`; returns the ledger's name. */
export async function ledgerWith(schema: unknown): Promise<string> {
  const ledger = await freshLedger();
  await insertedSchema(ledger, "v1", schema);
  return ledger;
}

/** Inserts a schema. Throws for a refused one. */
export async function insertedSchema(
  ledger: string,
  version: string,
  schema: unknown = { chart: {} },
): Promise<void> {
  const response = await insertSchema(ledger, version, { body: schema });
  if (response.status !== 204) throw new Error(`no schema: ${await response.text()}`);
}

export const readSchema = async (ledger: string, version: string): Promise<SchemaView> =>
  (await okBodyOf<{ data: SchemaView }>(inLedger(ledger, schemaPath(version)))).data;

export const listSchemas = async (ledger: string, query = ""): Promise<Cursor<SchemaView>> =>
  (await okBodyOf<{ cursor: Cursor<SchemaView> }>(inLedger(ledger, `/schemas${query}`))).cursor;

/** The versions on a page of the list of schemas. */
export const versionsOf = async (ledger: string, query = ""): Promise<string[]> =>
  (await listSchemas(ledger, query)).data.map(({ version }) => version);

/** A filter as a query parameter. */
export const filtered = (filter: object): string =>
  `query=${encodeURIComponent(JSON.stringify(filter))}`;

/** Runs a query of the schema `v1`; returns the answer. Every text can be an id. */
export const runQuery = (
  ledger: string,
  id: string,
  { query = "?schemaVersion=v1", body = {}, ...init }: SchemaInit = {},
): Promise<Response> =>
  inLedger(ledger, `/queries/${encodeURIComponent(id)}/run${query}`, {
    method: "POST",
    body,
    ...init,
  });

/** The page of a query's run. Throws unless the run succeeds. */
export async function pageOf<T>(response: Response | Promise<Response>): Promise<Cursor<T>> {
  const { cursor } = await okBodyOf<{ cursor: Cursor<T> }>(response);
  return cursor;
}

export async function exportOf(ledger: string): Promise<string> {
  const response = await inLedger(ledger, "/logs/export", { method: "POST" });
  if (response.status !== 200) throw new Error(`no export: ${response.status}`);
  // The runtime warns about `text()` for a body of this content type.
  return new TextDecoder().decode(await response.arrayBuffer());
}

/** Imports an exported log into a new ledger; returns the ledger's name. */
export async function importedCopy(text: string): Promise<string> {
  const ledger = await freshLedger();
  const response = await inLedger(ledger, "/logs/import", {
    body: text,
    headers: { "content-type": "application/octet-stream" },
  });
  if (response.status !== 204)
    throw new Error(`no import: ${JSON.stringify(await bodyOf(response))}`);
  return ledger;
}

/** The log entries of a ledger in its list, oldest first. */
export async function logsOf(ledger: string): Promise<readonly Record<string, unknown>[]> {
  const path = "/logs?sort=id:asc&pageSize=1000";
  return (await okBodyOf<{ cursor: { data: Record<string, unknown>[] } }>(inLedger(ledger, path)))
    .cursor.data;
}

export const metadataOf = async (ledger: string, address: string): Promise<unknown> =>
  (await okBodyOf<{ data: { metadata: unknown } }>(inLedger(ledger, `/accounts/${address}`))).data
    .metadata;
