import { beforeAll, expect, test, vi } from "vitest";
import { FailureRecorder } from "#platform/failed-requests/recorder.ts";
import type { NewFailedRequest } from "#platform/failed-requests/store.ts";
import { api, freshName, send, token } from "#test/support/platform/api.ts";

/** A text that no row may contain, and beginnings of it that messages may cut off. */
const SECRET = "sk_live_4242-aB3dE5fG7hI9kL1mN";
const TRACE = /sk_live_|4242-aB3d/i;

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
}
interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

let document: Document;
const rows: NewFailedRequest[] = [];

beforeAll(async () => {
  document = await (await send("/openapi.json")).json<Document>();
  vi.spyOn(FailureRecorder.prototype, "record").mockImplementation((_principal, _id, { toRow }) => {
    rows.push(toRow());
  });
});

/** A value of a schema in which every text is the secret, except for those of recorded fields. */
function planted(schema: Schema | undefined, spared: ReadonlySet<string>, depth = 0): unknown {
  if (schema === undefined || depth > 6) return SECRET;
  const name = schema.$ref?.split("/").at(-1);
  if (name !== undefined) return planted(document.components.schemas[name], spared, depth + 1);
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  if (inner.length > 0) return planted(inner[0], spared, depth + 1);
  if (schema.enum !== undefined) return depth % 2 === 0 ? schema.enum[0] : SECRET;
  if (schema.type === "array") return [planted(schema.items, spared, depth + 1)];
  if (schema.type === "integer" || schema.type === "number") return 5;
  if (schema.type === "boolean") return true;
  if (schema.properties === undefined && schema.type !== "object") return SECRET;
  const members = Object.entries(schema.properties ?? {}).flatMap(([key, member]) =>
    spared.has(key) ? [] : [[key, planted(member, spared, depth + 1)] as const],
  );
  return Object.fromEntries([...members, [SECRET, SECRET], ["secret", SECRET]]);
}

/** The operations that let fields of their bodies be recorded. */
const RECORDING = new Set([
  "v2CreateTransaction",
  "v2CreateBulk",
  "v2CreateLedger",
  "createTransaction",
  "CreateTransactions",
  "v3InitiatePayment",
  "v3ReversePaymentInitiation",
  "createTransferInitiation",
  "reverseTransferInitiation",
  "creditWallet",
  "debitWallet",
]);
/** Names of such fields. */
const RECORDED = new Set([
  "source",
  "destination",
  "asset",
  "reference",
  "timestamp",
  "template",
  "runtime",
  "bucket",
  "type",
  "balance",
  "balances",
  "action",
  "force",
  "pending",
]);
const NONE: ReadonlySet<string> = new Set();

const HEADERS = {
  "idempotency-key": SECRET,
  "x-secret": SECRET,
  cookie: `session=${SECRET}`,
  "formance-bigint-as-string": SECRET,
  "last-event-id": SECRET,
};

/** The requests of an operation, each with a secret in other places. */
function requestsOf(path: string, { operationId, parameters = [], requestBody }: Described) {
  const spared = RECORDING.has(operationId) ? RECORDED : NONE;
  const content = Object.entries(requestBody?.content ?? {});
  const bodies = content.flatMap(([, { schema }]) => [
    JSON.stringify(planted(schema, spared)),
    JSON.stringify([planted(schema, spared)]),
  ]);
  const filter = encodeURIComponent(JSON.stringify({ $match: { [SECRET]: SECRET } }));
  const queries = [
    `${SECRET}=${SECRET}`,
    `query=${filter}`,
    ...parameters
      .filter((parameter) => parameter.in === "query")
      .map(({ name }) => `${name}=${SECRET}`),
  ];
  const other = [
    JSON.stringify(SECRET),
    `{"broken": "${SECRET}`,
    SECRET,
    JSON.stringify({ a: { [SECRET]: [SECRET] } }),
  ];
  return [
    ...queries.map((query) => ({ path: `${path}?${query}`, headers: HEADERS })),
    { path, headers: { ...HEADERS, "content-type": `text/${SECRET}` }, body: SECRET },
    ...[...bodies, ...other].map((body) => ({
      path,
      headers: { ...HEADERS, "content-type": "application/json" },
      body,
    })),
  ];
}

test("no row of a failed request contains a secret that is anywhere in a body, a header or a query of any operation", async () => {
  const ledger = freshName();
  await api(`/api/ledger/v2/${ledger}`, { method: "POST" });
  const bearer = await token();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method, described })),
  );
  const failed = new Set<string>();
  const leaks: string[] = [];
  for (const { path, method, described } of operations) {
    const named = path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) =>
      name === "ledger" ? ledger : "x",
    );
    for (const request of requestsOf(named, described)) {
      const isBodiless = method === "get" || method === "head";
      const { body, ...rest } = { body: undefined, ...request };
      if (isBodiless && body !== undefined) continue;
      rows.length = 0;
      const init = { ...rest, method: method.toUpperCase(), token: bearer };
      const response = await api(request.path, body === undefined ? init : { ...init, body });
      await response.body?.cancel();
      for (const row of rows) {
        failed.add(row.operation);
        const text = JSON.stringify(row);
        if (TRACE.test(text)) leaks.push(`${JSON.stringify(request)} ${text}`);
      }
    }
  }
  expect(leaks).toEqual([]);
  expect(failed.size).toBeGreaterThan(150);
});

test("no row of a failed request contains a secret of a script, an expression or a token", async () => {
  const ledger = freshName();
  await api(`/api/ledger/v2/${ledger}`, { method: "POST" });
  const scripts = [
    `send [USD/2 100] (source = @${SECRET} destination = @world)`,
    `send [USD/2 100] (source = @users:${SECRET.replaceAll("-", "_")} destination = @world)`,
    `vars { string $${SECRET} }`,
    `set_tx_meta("${SECRET}", "${SECRET}")`,
    `send "${SECRET}"`,
  ];
  rows.length = 0;
  for (const plain of scripts) {
    const vars = { [SECRET]: SECRET, x: SECRET };
    for (const script of [{ plain }, { plain, vars }]) {
      const path = `/api/ledger/v2/${ledger}`;
      await api(`${path}/transactions`, { body: { script } });
      await api(`${path}/_bulk`, { body: [{ action: "CREATE_TRANSACTION", data: { script } }] });
      await api(`/api/ledger/${ledger}/transactions`, { body: { script } });
    }
  }
  await api(`/api/ledger/v2/${ledger}`, { token: SECRET });
  await api("/api/auth/clients", {
    body: { name: "x", scopes: [`a:${SECRET}`] },
    token: await token("auth:write"),
  });
  expect(rows.length).toBeGreaterThan(15);
  for (const row of rows) expect(JSON.stringify(row)).not.toMatch(TRACE);
});
