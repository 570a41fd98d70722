import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { decodeSchema, type SchemaData } from "#ledger-engine/rules/schemas/ledger-schema.ts";
import { decodeQueries, type QueryTemplate } from "#ledger-engine/rules/schemas/queries.ts";
import { present } from "#platform/assert.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { attempt } from "#platform/result.ts";

/** A request about schemas that was sent to Formance Ledger v2.4.12, and its recorded answer. */
export type RecordedRequest = RecordedInsertion | RecordedTransaction | RecordedRun;

interface Recorded {
  readonly body: string;
  readonly status: number;
  /** The error message; absent for a success. */
  readonly message?: string;
}

export interface RecordedInsertion extends Recorded {
  readonly kind: "insertion";
  readonly scenario: string;
  readonly version: string;
  /** The schema in the answer of a later read; absent without such a read. */
  readonly rendered?: unknown;
}

/** A transaction that names a schema version of its scenario. */
export interface RecordedTransaction extends Recorded {
  readonly kind: "transaction";
  readonly scenario: string;
  readonly version: string;
}

/** A run of a query of the scenario `schema-queries`. */
export interface RecordedRun extends Recorded {
  readonly kind: "run";
  readonly query: string;
}

export function recordedRequests<K extends RecordedRequest["kind"]>(
  kind: K,
): Extract<RecordedRequest, { kind: K }>[] {
  const file = resolve(import.meta.dirname, "../../fixtures/ledger-schemas.ndjson");
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => parseJson(line) as RecordedRequest) // `line` is a line of a file in this repository
    .filter((it): it is Extract<RecordedRequest, { kind: K }> => it.kind === kind);
}

/** The schema that was inserted under a version of a recorded scenario. */
export function recordedSchema(scenario: string, version: string): SchemaData {
  const insertion = recordedRequests("insertion").find(
    (it) => it.scenario === scenario && it.version === version && it.status === 204,
  );
  if (insertion === undefined) throw new Error(`${scenario} has no version ${version}`);
  return decodeText(insertion.body);
}

/** A schema from JSON text. Unlike an object literal, the text may have members of any name. */
export const decodeText = (body: string): SchemaData =>
  decodeSchema(parseJson(body), { runtime: "machine" });

export const decodeValue = (body: object): SchemaData => decodeText(stringifyJson(body));

/** A query template from JSON text. */
export const queryOf = (text: string): QueryTemplate =>
  present(decodeQueries({ q: parseJson(text) }).get("q"), "there is one query");

/** The message of a refusal as `VALIDATION`; undefined for a success. */
export function messageOf(work: () => unknown): string | undefined {
  const result = attempt(work);
  if (result.ok) return undefined;
  if (result.failure.kind !== "VALIDATION") throw new Error(`it is ${result.failure.kind}`);
  return result.failure.message;
}

/** The details of a refusal; undefined for a success. */
export function detailsOf(work: () => unknown): string | undefined {
  const result = attempt(work);
  return result.ok ? undefined : result.failure.details;
}
