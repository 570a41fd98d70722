import { type Chart, decodeChart, renderChart } from "./chart.ts";
import {
  invalid,
  isJsonObject,
  type JsonObject,
  memberOf,
  schemaViolation,
  shown,
  textMember,
} from "./failures.ts";
import { SCHEMA_BYTES_MAX, SCHEMA_VERSION_LENGTH_MAX } from "./limits.ts";
import {
  decodeQueries,
  type QueryTemplate,
  type QueryTemplates,
  renderQueries,
  renderQuery,
  showQueries,
} from "./queries.ts";
import { inStoredOrder } from "./stored-order.ts";
import {
  assertScripts,
  decodeTemplates,
  renderTemplates,
  type TransactionTemplates,
} from "./templates.ts";
import { canonicalMap, canonicalText } from "#ledger-engine/rules/canonical.ts";
import type { StoredSchema } from "#ledger-engine/rules/types.ts";
import type { Runtime } from "#numscript";
import { assert } from "#platform/assert.ts";
import { parseJson } from "#platform/json.ts";
import { formatTimestamp, parseTimestamp, type Timestamp } from "#platform/time.ts";

/**
 * The contents of a schema: the chart of accounts, and named templates for transactions and for lists.
 */
export interface SchemaData {
  readonly chart: Chart;
  readonly transactions: TransactionTemplates;
  readonly queries: QueryTemplates;
}

/** A schema of a ledger. A version never changes. */
export interface LedgerSchema extends SchemaData {
  readonly version: string;
  readonly createdAt: Timestamp;
}

/**
 * Decodes the schema of a request from JSON and checks all of it. `runtime` is the runtime of templates that do not name
 * one. Throws `VALIDATION`.
 */
export function decodeSchema(
  body: unknown,
  { runtime }: { readonly runtime: Runtime },
): SchemaData {
  const data = decodeData(body);
  assertSize(data);
  assertScripts(data.transactions, runtime);
  return data;
}

/** Parses a schema from the text of `toSchemaText`. The schema's scripts were checked at its insertion. */
export const parseSchemaText = (text: string): SchemaData => decodeData(parseJson(text));

/** Decodes the schema of a log entry, which another server may have written. Throws `VALIDATION`. */
export function decodeLoggedSchema(value: unknown): LedgerSchema {
  const data = decodeData(value);
  assertSize(data);
  const logged = isJsonObject(value) ? value : {};
  const version = textMember(logged, "version", "schema") ?? "";
  const createdAt = parseTimestamp(textMember(logged, "createdAt", "schema") ?? "");
  assertSchemaVersion(version);
  if (createdAt === undefined) throw invalid("invalid schema: it has no date of creation");
  return { ...data, version, createdAt };
}

function decodeData(value: unknown): SchemaData {
  if (!isJsonObject(value)) throw invalid("invalid schema: expected an object");
  if (!Object.hasOwn(value, "chart")) throw invalid("invalid schema: missing chart of accounts");
  return {
    chart: decodeChart(value["chart"]),
    transactions: decodeTemplates(memberOf(value, "transactions")),
    queries: decodeQueries(memberOf(value, "queries")),
  };
}

function assertSize(data: SchemaData): void {
  const bytes = new TextEncoder().encode(toSchemaText(data)).length;
  if (bytes <= SCHEMA_BYTES_MAX) return;
  throw invalid(`invalid schema: it has ${bytes} bytes, and ${SCHEMA_BYTES_MAX} are allowed`);
}

/** Throws `VALIDATION` if a text cannot be a version. */
export function assertSchemaVersion(version: string): void {
  if (version === "") throw invalid("the schema version must not be empty");
  if (version.length > SCHEMA_VERSION_LENGTH_MAX) {
    throw invalid(`the schema version is longer than ${SCHEMA_VERSION_LENGTH_MAX} characters`);
  }
}

export interface SchemaJson {
  readonly chart: JsonObject;
  readonly transactions?: JsonObject;
  readonly queries?: JsonObject;
  readonly version: string;
  readonly createdAt: string;
}

/** The JSON of a schema, as log entries and events contain it. */
export const renderSchema = (schema: LedgerSchema): SchemaJson => ({
  chart: renderChart(schema.chart),
  ...(schema.transactions.size === 0 ? {} : { transactions: renderTemplates(schema.transactions) }),
  ...(schema.queries.size === 0 ? {} : { queries: renderQueries(schema.queries) }),
  version: schema.version,
  createdAt: formatTimestamp(schema.createdAt),
});

/** Parses a stored schema. The parameters of its queries are in the order in which log entries show them. */
export function parseStoredSchema({
  text,
  version,
  createdAt,
  hashed,
}: StoredSchema): LedgerSchema {
  const data = parseSchemaText(text);
  const queries = hashed === "reordered" ? inStoredOrder(data.queries) : data.queries;
  return { ...data, queries, version, createdAt };
}

/** A query template of a schema. Throws `VALIDATION` if the schema does not exist or has no such template. */
export function queryTemplateOf(
  schema: StoredSchema | undefined,
  { schemaVersion, id }: { readonly schemaVersion: string; readonly id: string },
): QueryTemplate {
  if (schema === undefined) {
    throw schemaViolation(schemaVersion, "failed to find schema: not found");
  }
  const template = parseStoredSchema(schema).queries.get(id);
  if (template !== undefined) return template;
  throw schemaViolation(schemaVersion, `unknown query template: ${shown(id)}`);
}

/** The JSON of a stored schema, as log entries and events contain it. */
export const renderStoredSchema = (schema: StoredSchema): SchemaJson =>
  renderSchema(parseStoredSchema(schema));

/** The JSON of a schema for clients. */
export const showSchema = (schema: LedgerSchema): SchemaJson => ({
  ...renderSchema(schema),
  ...(schema.queries.size === 0 ? {} : { queries: showQueries(schema.queries) }),
});

/** The text of a schema in canonical JSON, over which hashes are computed. */
export function toSchemaText({ chart, transactions, queries }: SchemaData): string {
  const members = [`"chart":${sortedText(renderChart(chart))}`];
  if (transactions.size > 0) {
    members.push(`"transactions":${canonicalMap(renderTemplates(transactions), orderedText)}`);
  }
  if (queries.size > 0) {
    members.push(`"queries":${canonicalMap(renderQueries(queries), queryText)}`);
  }
  return `{${members.join(",")}}`;
}

/** The member `schema` of the memento of a log entry. `text` is the result of `toSchemaText`. */
export function toSchemaMemento(
  text: string,
  schema: Omit<LedgerSchema, keyof SchemaData>,
): string {
  const { version, createdAt } = schema;
  const open = text.slice(0, -1);
  return `${open},"version":${canonicalText(version)},"createdAt":"${formatTimestamp(createdAt)}"}`;
}

/** The text of a stored schema in an export. */
export const toExportedSchema = (schema: StoredSchema): string =>
  toSchemaMemento(
    schema.hashed === "reordered" ? toSchemaText(parseStoredSchema(schema)) : schema.text,
    schema,
  );

/** The text over which the idempotency hash of an insertion is computed, without the line feed. `text` comes from `toSchemaText`. */
export const toInsertionText = (version: string, text: string): string =>
  `{"Version":${canonicalText(version)},"Data":${text}}`;

/** A query template as a member of the queries in the text of a schema. */
export const queryMember = (id: string, query: QueryTemplate): string =>
  `${canonicalText(id)}:${queryText(renderQuery(query))}`;

/** A member of the parameters of a query in the text of a schema. */
export const memberText = (name: string, value: unknown): string =>
  `${canonicalText(name)}:${orderedText(value)}`;

/** Writes JSON whose member names are data on all levels, with sorted members. */
const sortedText = (value: unknown): string =>
  isJsonObject(value) ? canonicalMap(value, sortedText) : orderedText(value);

/** Writes a query. The names of its variables are data, and sorted; the other members keep their order. */
function queryText(query: unknown): string {
  if (!isJsonObject(query)) return orderedText(query);
  return membersText(query, (name, value) =>
    name === "vars" && isJsonObject(value) ? canonicalMap(value, orderedText) : orderedText(value),
  );
}

/**
 * Writes JSON with members in the order of their objects. No name may be a number, because objects put numbers first.
 */
function orderedText(value: unknown): string {
  if (typeof value === "string") return canonicalText(value);
  if (Array.isArray(value)) return `[${value.map(orderedText).join(",")}]`;
  if (isJsonObject(value)) return membersText(value, (_name, member) => orderedText(member));
  const isPlain =
    value === null ||
    typeof value === "number" ||
    typeof value === "bigint" ||
    typeof value === "boolean";
  assert(isPlain, "a checked schema holds texts, integers, booleans and null");
  return `${value}`;
}

function membersText(object: JsonObject, write: (name: string, value: unknown) => string): string {
  const members = Object.entries(object).map(
    ([name, value]) => `${canonicalText(name)}:${write(name, value)}`,
  );
  return `{${members.join(",")}}`;
}
