import { env } from "cloudflare:workers";
import type { StatementSourceObject } from "#modules/reconciliation/index.ts";
import { api, send, token } from "#test/support/platform/api.ts";
import { dataOf } from "#test/support/reconciliation/books.ts";
import { newSource, SOURCES } from "#test/support/reconciliation/sources.ts";

/** A statement as the API shows it. */
export interface StatementView {
  readonly id: string;
  readonly state: string;
  readonly lines: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly format?: string;
  readonly refusal?: { readonly kind: string; readonly message: string; readonly line?: number };
  readonly heads: readonly Readonly<Record<string, unknown>>[];
}

/** A head of a statement in the format `json-lines`. */
export interface TestHead {
  readonly id?: string;
  readonly account?: string;
  readonly from?: string;
  readonly to?: string;
  readonly opening?: number;
  readonly closing?: number;
}

export const MARCH = { id: "S-3", account: "DE02 1203", from: "2026-03-01", to: "2026-03-31" };

/** A file of one statement in EUR in the format `json-lines`, with a line of one day for each amount. */
export const fileOf = (head: TestHead, amounts: readonly number[] = []): string =>
  [
    { statement: { asset: "EUR/2", ...head } },
    ...amounts.map((amount, index) => ({
      date: head.from ?? "2026-01-05",
      amount,
      endToEndId: `E2E-${index}`,
    })),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");

/** A file of the statement of March, each of whose lines has more than a thousand bytes. */
export const wideFile = (lines: number): string =>
  fileOf(
    MARCH,
    Array.from({ length: lines }, (_, index) => index + 1),
  ).replaceAll("\n", `${" ".repeat(1000)}\n`);

/** A line of a file without a head. */
export const lineOf = (amount: number | string, more: object = {}): string =>
  `${JSON.stringify({ date: "2026-01-05", amount, asset: "EUR/2", ...more })}\n`;

export const statementsPath = (source: string): string => `${SOURCES}/${source}/statements`;

/** Uploads a file: a text, bytes, or a stream. */
export async function upload(
  source: string,
  body: string | Uint8Array | ReadableStream,
  query = "",
): Promise<Response> {
  return send(`${statementsPath(source)}${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${await token()}` },
    body,
  });
}

export const uploaded = async (
  source: string,
  body: string | Uint8Array | ReadableStream,
  query = "",
): Promise<StatementView> => dataOf(await upload(source, body, query), 201);

export const newStatementSource = async (fields: object = {}): Promise<string> =>
  (await newSource({ kind: "statement", ...fields })).id;

export const statement = async (source: string, id: string): Promise<StatementView> =>
  dataOf(await api(`${statementsPath(source)}/${id}`));

/** The object of a source. */
export const objectOf = (source: string): DurableObjectStub<StatementSourceObject> =>
  env.STATEMENT_SOURCES.getByName(source);
