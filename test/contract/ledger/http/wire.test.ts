import { beforeAll, describe, expect, test } from "vitest";
import { BODY_BYTES_MAX } from "#platform/http/body.ts";
import {
  freshLedger,
  inLedger,
  logIdsOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
  type Trace,
  traceOf,
} from "#test/support/ledger/api.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { isolate } from "#test/support/runner/isolate.ts";

let ledger: string;
let before: Trace;

beforeAll(async () => {
  ledger = await freshLedger();
  await okBodyOf(post(ledger, pay("world -> a", 100, { metadata: { k: "v" }, reference: "r1" })));
  await okBodyOf(post(ledger, pay("a -> b", 40), { headers: { "idempotency-key": "used" } }));
  before = await traceOf(ledger);
});

const POSTING = '{"source":"world","destination":"a","amount":1,"asset":"USD"}';
const withPosting = (members: string): string =>
  `{"postings":[{"source":"world","destination":"a","amount":1,"asset":"USD",${members}}]}`;

test("null is no metadata of an account, and no metadata of a transaction", async () => {
  const own = await freshLedger();
  await okBodyOf(post(own, pay("world -> a", 1)));
  const add = async (path: string) =>
    (await api(`/api/ledger${path}/metadata`, { method: "POST", body: "null" })).status;
  expect(await add(`/v2/${own}/accounts/b`)).toBe(204);
  expect(await add(`/${own}/accounts/c`)).toBe(204);
  expect(await add(`/v2/${own}/transactions/1`)).toBe(400);
  expect(await add(`/${own}/transactions/1`)).toBe(400);
  expect((await inLedger(own, "/metadata", { method: "PUT", body: "null" })).status).toBe(400);
  expect(await okBodyOf(inLedger(own, "/accounts/b"))).toMatchObject({ data: { metadata: {} } });
  expect(await logIdsOf(own)).toEqual([1, 2, 3]);
});

test.each([
  ["JSON", "/transactions", "{"],
  ["scripts", "/transactions", '{"script":{"plain":"send [USD 1] ("}}'],
  ["schemas", "/schemas/v1", '{"chart":{"a":{"b":5}}}'],
])("errors of %s say in `details` where they are", async (_what, path, body) => {
  const response = await api(`/api/ledger/v2/${ledger}${path}`, { method: "POST", body });
  const error = await response.json<{ errorMessage: string; details: string }>();
  expect([response.status, typeof error.details]).toEqual([400, "string"]);
  expect(error.details).not.toBe("");
});

describe("a transaction that is refused leaves no trace", () => {
  test.each([
    ["malformed JSON", "{", "VALIDATION"],
    ["an empty body", "", "VALIDATION"],
    ["text after the body", `{"postings":[${POSTING}]} x`, "VALIDATION"],
    ["a list", "[]", "VALIDATION"],
    ["null", "null", "VALIDATION"],
    ["a decimal", "1.5", "VALIDATION"],
    ["a decimal for a script", `{"postings":[${POSTING}],"script":1.5}`, "VALIDATION"],
    ["a decimal for metadata", `{"postings":[${POSTING}],"metadata":1.5}`, "VALIDATION"],
    [
      "a decimal for account metadata",
      `{"postings":[${POSTING}],"accountMetadata":{"a":1.5}}`,
      "VALIDATION",
    ],
    ["no posting", "{}", "NO_POSTINGS"],
    ["an empty list of postings", '{"postings":[]}', "NO_POSTINGS"],
    ["postings of another type", '{"postings":"all"}', "VALIDATION"],
    ["a negative amount", withPosting('"amount":-1'), "VALIDATION"],
    ["a fraction", withPosting('"amount":1.5'), "VALIDATION"],
    ["a fraction of zero", withPosting('"amount":1.0'), "VALIDATION"],
    ["an exponent", withPosting('"amount":1e3'), "VALIDATION"],
    ["an amount as text", withPosting('"amount":"1"'), "VALIDATION"],
    ["no amount", withPosting('"amount":null'), "VALIDATION"],
    ["an amount without end", withPosting(`"amount":1${"0".repeat(1000)}`), "VALIDATION"],
    ["a bad source", withPosting('"source":"a b"'), "VALIDATION"],
    ["a bad destination", withPosting('"destination":"a::b"'), "VALIDATION"],
    ["a bad asset", withPosting('"asset":"usd"'), "VALIDATION"],
    ["metadata that is no text", `{"postings":[${POSTING}],"metadata":{"k":1}}`, "VALIDATION"],
    ["a bad date", `{"postings":[${POSTING}],"timestamp":"yesterday"}`, "VALIDATION"],
    ["U+0000 in a text", `{"postings":[${POSTING}],"reference":"\\u0000"}`, "VALIDATION"],
    ["half a character", `{"postings":[${POSTING}],"reference":"\\ud800"}`, "VALIDATION"],
    ["an invalid script", '{"script":{"plain":"send [USD 1] ()"}}', "COMPILATION_FAILED"],
    ["a template", '{"script":{"template":"pay"}}', "VALIDATION"],
    ["an unknown runtime", `{"postings":[${POSTING}],"runtime":"wasm"}`, "VALIDATION"],
    ["a used reference", `{"postings":[${POSTING}],"reference":"r1"}`, "CONFLICT"],
    ["too little money", withPosting('"source":"b","amount":41'), "INSUFFICIENT_FUND"],
  ])("a transaction that is refused leaves no trace: %s", async (_, body, code) => {
    const status = code === "CONFLICT" ? 409 : 400;
    expect(await refusalOf(post(ledger, body))).toMatchObject({ status, code });
    expect(await traceOf(ledger)).toEqual(before);
  });

  test("a refused revert whose body is a decimal leaves no trace", async () => {
    const request = { method: "POST", body: "1.5" };
    expect(await refusalOf(inLedger(ledger, "/transactions/1/revert", request))).toMatchObject({
      status: 400,
      code: "VALIDATION",
    });
    expect(await traceOf(ledger)).toEqual(before);
  });

  test("a request with a key that was used for another request leaves no trace", async () => {
    const headers = { "idempotency-key": "used" };
    expect(await refusalOf(post(ledger, pay("a -> b", 41), { headers }))).toMatchObject({
      status: 400,
      code: "VALIDATION",
    });
    expect(
      await refusalOf(inLedger(ledger, "/transactions/1/revert", { method: "POST", headers })),
    ).toMatchObject({ code: "VALIDATION" });
    expect(await traceOf(ledger)).toEqual(before);
  });

  test("a request with a key, a body or a transaction above the limit leaves no trace", async () => {
    const long = { "idempotency-key": "k".repeat(256) };
    const padding = " ".repeat(BODY_BYTES_MAX);
    const postings = Array.from({ length: 5001 }, () => pay("world -> a", 1).postings[0]);
    expect(await refusalOf(post(ledger, pay("world -> a", 1), { headers: long }))).toMatchObject({
      code: "VALIDATION",
    });
    expect(await refusalOf(post(ledger, `${padding}{}`))).toMatchObject({
      status: 413,
      code: "VALIDATION",
    });
    expect(await refusalOf(post(ledger, { postings }))).toMatchObject({
      status: 400,
      code: "VALIDATION",
    });
    expect(await traceOf(ledger)).toEqual(before);
  });

  test("a request with an absent or broken token, or one without the scope, leaves no trace", async () => {
    const scopes: (string | null)[] = [
      null,
      "",
      "x.y.z",
      await token("webhooks:write"),
      await token("ledger:read"),
    ];
    for (const bearer of scopes) {
      const response = await post(ledger, pay("world -> a", 1), { token: bearer });
      expect(response.headers.get("www-authenticate")).toContain("Bearer");
      expect(await refusalOf(response)).toMatchObject({ status: 401, code: "VALIDATION" });
    }
    expect(await traceOf(ledger)).toEqual(before);
  });

  test("a dry run, and every write to something that does not exist or is not valid, leave no trace", async () => {
    const write = (path: string, method: string, body?: string) =>
      inLedger(ledger, path, body === undefined ? { method } : { method, body });
    expect((await post(ledger, pay("world -> new", 1), {})).status).toBe(200);
    before = await traceOf(ledger);
    expect(
      (await write("/transactions?dryRun=true", "POST", JSON.stringify(pay("world -> other", 1))))
        .status,
    ).toBe(200);
    expect((await write("/transactions/1/metadata?dryRun=1", "POST", '{"l":"w"}')).status).toBe(
      204,
    );
    expect((await write("/transactions/1/metadata/k?dryRun=TRUE", "DELETE")).status).toBe(204);
    expect((await write("/transactions/2/revert?dryRun=true", "POST")).status).toBe(201);
    expect((await write("/accounts/other/metadata?dryRun=true", "POST", '{"l":"w"}')).status).toBe(
      204,
    );
    const refusals = [
      await write("/transactions/99/revert", "POST"),
      await write("/transactions/x/revert", "POST"),
      await write("/transactions/-1/revert", "POST"),
      await write("/transactions/2/revert", "POST", "{"),
      await write("/transactions/1/revert", "POST"),
      await write("/transactions/1/metadata", "POST", '{"k":1}'),
      await write("/transactions/1/metadata", "POST", ""),
      await write("/transactions/99/metadata", "POST", "{}"),
      await write("/transactions/1/metadata/absent", "DELETE"),
      await write("/accounts/a%20b/metadata", "POST", "{}"),
      await write("/accounts/a/metadata", "POST", "[]"),
      await write("/accounts/a%20b/metadata/k", "DELETE"),
    ];
    const codes = await Promise.all(refusals.map(async (it) => (await refusalOf(it)).code));
    expect(codes).toEqual([
      "NOT_FOUND",
      "VALIDATION",
      "VALIDATION",
      "VALIDATION",
      "INSUFFICIENT_FUND",
      "VALIDATION",
      "VALIDATION",
      "NOT_FOUND",
      "NOT_FOUND",
      "VALIDATION",
      "VALIDATION",
      "VALIDATION",
    ]);
    expect(await traceOf(ledger)).toEqual(before);
  });
});

describe("a request to a ledger that is not there", () => {
  test.each([
    ["GET", "/transactions"],
    ["GET", "/transactions/1"],
    ["GET", "/accounts"],
    ["GET", "/accounts/a"],
    ["POST", "/transactions"],
    ["POST", "/transactions/1/revert"],
    ["POST", "/transactions/1/metadata"],
    ["POST", "/accounts/a/metadata"],
    ["DELETE", "/transactions/1/metadata/k"],
    ["DELETE", "/accounts/a/metadata/k"],
    ["POST", "/_bulk"],
  ])("a request to a ledger that is not there is refused: %s %s", async (method, path) => {
    const bodies: Record<string, string> = {
      "/transactions": JSON.stringify(pay("world -> a", 1)),
      "/_bulk": "[]",
    };
    for (const name of [freshName(), "a b", "_"]) {
      const init = method === "POST" ? { method, body: bodies[path] ?? "{}" } : { method };
      const response = await inLedger(encodeURIComponent(name), path, init);
      expect(await refusalOf(response)).toMatchObject({ status: 404, code: "LEDGER_NOT_FOUND" });
    }
  });

  test.each(["a b", "x".repeat(64), "_info", "_healthcheck", "é", String.raw`a\b`])(
    "a request to a ledger that is not there is refused for the name %j also when it is created",
    async (name) => {
      const response = await api(`/api/ledger/v2/${encodeURIComponent(name)}`, { method: "POST" });
      expect(await refusalOf(response)).toMatchObject({ status: 400, code: "VALIDATION" });
    },
  );

  test.each([
    ['{"features":{"FOO":"ON"}}', /FOO/],
    ['{"features":{"MOVES_HISTORY":"XXX"}}', /MOVES_HISTORY/],
    [`{"bucket":"${"b".repeat(64)}"}`, /bucket/],
    ['{"metadata":{"k":1}}', /metadata/],
    ["[]", /body/],
    ["{", /JSON/],
  ])("a ledger that is not there is not created by %s", async (body, message) => {
    const name = freshName();
    const refusal = await refusalOf(api(`/api/ledger/v2/${name}`, { body }));
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toMatch(message);
    expect((await api(`/api/ledger/v2/${name}`)).status).toBe(404);
  });
});

describe("integers of any size", () => {
  const HUGE = `1${"0".repeat(30)}`;

  test("integers of any size are exact in the answers to create, read, list, revert and bulk", async () => {
    const own = await freshLedger();
    const body = `{"postings":[{"source":"world","destination":"a","amount":${HUGE},"asset":"BTC/8"}]}`;
    const created = await (await post(own, body)).text();
    expect(created).toContain(`"amount":${HUGE},"asset":"BTC/8"`);
    expect(created).toContain(`"a":{"BTC/8":{"input":${HUGE},"output":0,"balance":${HUGE}}}`);
    expect(created).toContain(`"world":{"BTC/8":{"input":0,"output":${HUGE},"balance":-${HUGE}}}`);
    const bulk = `[{"action":"CREATE_TRANSACTION","data":${body.replace(HUGE, "9007199254740993")}}]`;
    const bulkText = await (await inLedger(own, "/_bulk", { body: bulk })).text();
    expect(bulkText).toContain('"amount":9007199254740993,');
    expect(bulkText).toContain(`"input":1000000000000009007199254740993,`);
    const listed = await (await inLedger(own, "/transactions?expand=volumes")).text();
    expect(listed).toContain(`"amount":${HUGE},`);
    expect(listed).toContain('"input":1000000000000009007199254740993,');
    const account = await (await inLedger(own, "/accounts/a?expand=volumes")).text();
    expect(account).toContain('"balance":1000000000000009007199254740993');
    const reverted = await inLedger(own, "/transactions/1/revert", { method: "POST" });
    expect(reverted.status).toBe(201);
    expect(await reverted.text()).toContain(`"source":"a","destination":"world","amount":${HUGE}`);
  });

  test("integers of any size are texts where the client asks for it, ids never", async () => {
    const own = await freshLedger();
    for (const value of ["true", "YES", "y", "1"]) {
      const headers = { "formance-bigint-as-string": value };
      const created = await (await post(own, pay("world -> a", 5), { headers })).text();
      expect(created).toMatch(/"amount":"5".*"id":\d+,/);
      expect(created).toContain('"balance":"-');
    }
    const headers = { "formance-bigint-as-string": "true" };
    const texts = await Promise.all(
      [
        "/transactions?expand=volumes",
        "/transactions/1",
        "/accounts?expand=volumes",
        "/accounts/a?expand=volumes",
      ].map(async (path) => (await inLedger(own, path, { headers })).text()),
    );
    expect(texts[0]).toContain('"input":"20"');
    expect(texts[1]).toContain('"amount":"5"');
    expect(texts[2]).toContain('"balance":"20"');
    expect(texts[3]).toContain('"balance":"20"');
    const revert = { method: "POST", headers };
    expect(await (await inLedger(own, "/transactions/1/revert", revert)).text()).toContain(
      '"amount":"5"',
    );
    const bulk = { body: [{ action: "CREATE_TRANSACTION", data: pay("world -> a", 5) }], headers };
    expect(await (await inLedger(own, "/_bulk", bulk)).text()).toContain('"amount":5');
    for (const value of ["false", "no", ""]) {
      const response = await inLedger(own, "/transactions/1", {
        headers: { "formance-bigint-as-string": value },
      });
      expect(await response.text()).toContain('"amount":5');
    }
  });
});

describe("scopes", () => {
  test("ledger:read reads, ledger:write reads and writes", async () => {
    const [reader, writer] = [await token("ledger:read"), await token("ledger:write")];
    const own = await freshLedger();
    const statuses = async (bearer: string) => [
      (await inLedger(own, "/transactions", { token: bearer })).status,
      (await api("/api/ledger/v2", { token: bearer })).status,
      (await post(own, pay("world -> a", 1), { token: bearer })).status,
      (await inLedger(own, "/_bulk", { token: bearer, body: [] })).status,
      (await inLedger(own, "/accounts/a/metadata/k", { token: bearer, method: "DELETE" })).status,
      (await api(`/api/ledger/v2/${freshName()}`, { token: bearer, method: "POST" })).status,
    ];
    expect(await statuses(reader)).toEqual([200, 200, 401, 401, 401, 401]);
    expect(await statuses(writer)).toEqual([200, 200, 200, 200, 204, 204]);
    expect(await logIdsOf(own)).toHaveLength(2);
  });

  test("the names of ledgers are shown to those who may read them", async () => {
    const own = await freshLedger();
    const namesFor = async (bearer: string | null) => {
      const response = await api("/api/ledger/_info", { token: bearer });
      return (await response.json<{ data: { config: { storage: { ledgers: string[] } } } }>()).data
        .config.storage.ledgers;
    };
    expect(await namesFor(await token("ledger:read"))).toContain(own);
    expect(await namesFor(await token("webhooks:read"))).toEqual([]);
    expect(await namesFor(null)).toEqual([]);
    expect((await api("/api/ledger/v2/_info", { token: null })).status).toBe(401);
    expect((await api("/api/ledger/_healthcheck", { token: null })).status).toBe(200);
  });
});

describe("settings", () => {
  test("settings may forbid that ledgers choose features, and bound bulks", async () => {
    const strict = isolate({ FLORIN_EXPERIMENTAL_FEATURES: "false", FLORIN_BULK_MAX_SIZE: "2" });
    const headers = {
      authorization: `Bearer ${await token()}`,
      "content-type": "application/json",
    };
    const name = freshName();
    const create = (body: string) =>
      strict(`/api/ledger/v2/${name}`, { method: "POST", body, headers });
    expect(await refusalOf(create('{"features":{"HASH_LOGS":"SYNC"}}'))).toMatchObject({
      code: "VALIDATION",
    });
    expect((await create("")).status).toBe(204);
    const element = { action: "CREATE_TRANSACTION", data: pay("world -> a", 1) };
    const bulk = (size: number) =>
      strict(`/api/ledger/v2/${name}/_bulk`, {
        method: "POST",
        body: JSON.stringify(Array.from({ length: size }, () => element)),
        headers,
      });
    expect(await refusalOf(bulk(3))).toMatchObject({ status: 413, code: "BULK_SIZE_EXCEEDED" });
    expect((await bulk(2)).status).toBe(200);
    expect(await logIdsOf(name)).toEqual([1, 2]);
  });
});
