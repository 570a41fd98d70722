import { freshLedger, inLedger, okBodyOf } from "./api.ts";
import type { SchemaResponse } from "#modules/ledger/http/schemas.ts";
import { type ApiInit, bodyOf } from "#test/support/platform/api.ts";

export type SchemaView = ReturnType<typeof SchemaResponse.parse>;

/** The cursor of a list. */
export interface Cursor<T> {
  readonly pageSize: number;
  readonly hasMore: boolean;
  readonly previous?: string;
  readonly next: string;
  readonly data: readonly T[];
}

/** Users with numbers, who are `basic` at first, and their main accounts. */
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

/** Puts money somewhere: `{ amount: "USD/2 100", to: "users:1" }`. */
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

/** The path of a schema; any text can be a version. */
export const schemaPath = (version: string): string => `/schemas/${encodeURIComponent(version)}`;

interface SchemaInit extends ApiInit {
  /** The query of the URL, with its question mark. */
  readonly query?: string;
}

/** Inserts the schema of the body and gives the answer. */
export const insertSchema = (
  ledger: string,
  version: string,
  { query = "", ...init }: SchemaInit,
): Promise<Response> =>
  inLedger(ledger, `${schemaPath(version)}${query}`, { method: "POST", ...init });

/** A new ledger with one schema, `v1`. */
export async function ledgerWith(schema: unknown): Promise<string> {
  const ledger = await freshLedger();
  await insertedSchema(ledger, "v1", schema);
  return ledger;
}

/** Inserts a schema that must be taken. */
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

/** The versions of a page. */
export const versionsOf = async (ledger: string, query = ""): Promise<string[]> =>
  (await listSchemas(ledger, query)).data.map(({ version }) => version);

/** A filter as a query parameter. */
export const filtered = (filter: object): string =>
  `query=${encodeURIComponent(JSON.stringify(filter))}`;

/** Runs a query of the schema `v1` and gives the answer; any text can be an id. */
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

/** The page of a run that must succeed. */
export async function pageOf<T>(response: Response | Promise<Response>): Promise<Cursor<T>> {
  const { cursor } = await okBodyOf<{ cursor: Cursor<T> }>(response);
  return cursor;
}

/** The whole log of a ledger as its export gives it. */
export async function exportOf(ledger: string): Promise<string> {
  const response = await inLedger(ledger, "/logs/export", { method: "POST" });
  if (response.status !== 200) throw new Error(`no export: ${response.status}`);
  // The runtime warns where such a body is taken for text.
  return new TextDecoder().decode(await response.arrayBuffer());
}

/** A new ledger that holds what another one has exported. */
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

/** The log entries of a ledger, oldest first, as their list shows them. */
export async function logsOf(ledger: string): Promise<readonly Record<string, unknown>[]> {
  const path = "/logs?sort=id:asc&pageSize=1000";
  return (await okBodyOf<{ cursor: { data: Record<string, unknown>[] } }>(inLedger(ledger, path)))
    .cursor.data;
}

export const metadataOf = async (ledger: string, address: string): Promise<unknown> =>
  (await okBodyOf<{ data: { metadata: unknown } }>(inLedger(ledger, `/accounts/${address}`))).data
    .metadata;
