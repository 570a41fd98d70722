import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { BODY_BYTES_MAX } from "#platform/http/body.ts";
import { createApp } from "#src/app.ts";
import {
  type ApiInit,
  api,
  BASE_URL,
  bodyOf,
  freshName,
  send,
  token,
} from "#test/support/platform/api.ts";

const LEDGER = freshName("http");
const TRANSACTIONS = `/api/ledger/v2/${LEDGER}/transactions`;

const POSTING = '{"source":"world","destination":"bank","asset":"USD/2","amount":1}';

beforeAll(async () => {
  await api(`/api/ledger/v2/${LEDGER}`, { method: "POST" });
});

/** The body of an error, after checks that hold for every error. */
async function errorOf(response: Response) {
  expect(response.headers.get("content-type")).toBe("application/json");
  const body = await response.json<{ errorCode: string; errorMessage: string }>();
  expect(body.errorMessage.startsWith(`[${body.errorCode}] `)).toBe(true);
  return { status: response.status, code: body.errorCode, message: body.errorMessage };
}

async function transactionsStored(): Promise<unknown> {
  const { cursor } = (await bodyOf(await api(TRANSACTIONS))) as { cursor: { data: unknown } };
  return cursor.data;
}

describe("routing", () => {
  test.each(["/nothing", "/api/nothing", "/api/ledger/nothing", `${TRANSACTIONS}/1/nothing`])(
    "the router answers 404 on the unknown route %s",
    async (path) => {
      const { status, code, message } = await errorOf(await api(path));
      expect([status, code]).toEqual([404, "NOT_FOUND"]);
      expect(message).toContain(path);
    },
  );

  test("the router answers 405 with the allowed methods on a known route", async () => {
    const response = await api(TRANSACTIONS, { method: "PATCH" });
    const allowed = response.headers.get("allow")?.split(", ");
    expect(allowed).toEqual(expect.arrayContaining(["GET", "POST", "OPTIONS"]));
    expect(await errorOf(response)).toMatchObject({ status: 405, code: "VALIDATION" });
  });

  test("the router answers HEAD only where it is an operation, and never with a body", async () => {
    const response = await api("/versions", { method: "HEAD" });
    expect(response.status).toBe(405);
    expect(await response.text()).toBe("");
  });

  test("the router takes lists with and without a trailing slash", async () => {
    for (const path of [
      "/api/ledger/v2",
      TRANSACTIONS,
      "/api/payments/v3/connectors",
      "/api/payments/pools",
      "/api/auth/clients",
      "/api/webhooks/configs",
      "/api/orchestration/v2/workflows",
      "/api/wallets/wallets",
      "/api/florin/v1/audit",
      "/versions",
    ]) {
      const [without, withSlash] = await Promise.all([api(path), api(`${path}/`)]);
      expect([path, without.status, withSlash.status]).toEqual([path, 200, 200]);
      expect(await withSlash.text()).toBe(await without.text());
    }
    const refused = await api(`${TRANSACTIONS}/`, { method: "PATCH" });
    expect([refused.status, refused.headers.get("allow")]).toEqual([
      405,
      expect.stringContaining("POST"),
    ]);
    expect((await api(`${TRANSACTIONS}//`)).status).toBe(404);
  });

  test.each(["/api/ledger/v2/a%00b", "/api/ledger/v2/%E0%A4%A", "/api/ledger/v2?cursor=%"])(
    "the router refuses the broken URL %s",
    async (path) => {
      expect(await errorOf(await api(path))).toMatchObject({ status: 400, code: "VALIDATION" });
    },
  );

  test("the router gives every answer a request id of its own", async () => {
    const asked: readonly (readonly [path: string, init?: ApiInit])[] = [
      ["/versions"],
      ["/nothing"],
      ["/"],
      ["/docs"],
      ["/openapi.json"],
      ["/api/auth/login"],
      ["/api/ledger/v2/a%00b"],
      ["/api/ledger/v2/_info", { token: null }],
      [TRANSACTIONS, { token: null }],
      [TRANSACTIONS, { method: "HEAD" }],
      [TRANSACTIONS, { method: "OPTIONS" }],
      [TRANSACTIONS, { method: "DELETE" }],
      [TRANSACTIONS],
      [TRANSACTIONS, { body: "{" }],
      [`${TRANSACTIONS}?dryRun=true`, { body: `{"postings":[${POSTING}]}` }],
      [TRANSACTIONS.replace("transactions", "logs/export"), { method: "POST" }],
      ["/api/ledger/v2/unknown/transactions"],
    ];
    const many = [...asked, ...asked, ...asked];
    const answers = await Promise.all(many.map(([path, init]) => api(path, init)));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 204, 302, 400, 401, 404, 405]));
    const ids = answers.map(({ headers }) => headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(many.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("the router takes the request id that Cloudflare's edge gives, and no other", async () => {
    const app = createApp();
    const onTheInternet = Object.assign({ ...env }, { FLORIN_LOCAL: "false" });
    const idOf = async (ray: string, cf?: CfProperties) => {
      const init = { headers: { "cf-ray": ray }, ...(cf === undefined ? {} : { cf }) };
      const answer = await app.fetch(new Request(`${BASE_URL}/nothing`, init), onTheInternet);
      return answer.headers.get("x-request-id");
    };
    const ray = "8f1e2d3c4b5a6978";
    expect(await idOf(ray, {})).toBe(ray);
    expect(await idOf(`${ray}-FRA`, {})).toBe(`${ray}-FRA`);
    for (const forged of [idOf(ray), idOf("x".repeat(8000), {}), idOf(`${ray}-FRA x`, {})]) {
      expect(await forged).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test("the router shows the modules and their health to everyone", async () => {
    const response = await send("/versions");
    const body = await response.json<{ versions: { name: string; health: boolean }[] }>();
    const names = body.versions.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["auth", "ledger", "webhooks"]));
    expect(body.versions.every(({ health }) => health)).toBe(true);
    expect(body).not.toHaveProperty("commit");
    // The build writes the commit into the Worker.
    vi.stubGlobal("FLORIN_COMMIT", "0123456789abcdef0123456789abcdef01234567");
    const built = await send("/versions");
    vi.unstubAllGlobals();
    expect(await built.json()).toMatchObject({
      commit: "0123456789abcdef0123456789abcdef01234567",
    });
  });
});

describe("CORS", () => {
  test("CORS lets any page send what clients send", async () => {
    const response = await send(TRANSACTIONS, {
      method: "OPTIONS",
      headers: {
        origin: "https://example.com",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,idempotency-key",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(listOf(response, "access-control-allow-methods")).toEqual(
      expect.arrayContaining(["get", "head", "post", "put", "patch", "delete", "options"]),
    );
    expect(listOf(response, "access-control-allow-headers")).toEqual([
      "authorization",
      "content-type",
      "idempotency-key",
      "formance-bigint-as-string",
    ]);
  });

  test("CORS lets any page read every answer, errors included", async () => {
    for (const path of ["/versions", "/nothing", TRANSACTIONS]) {
      const response = await send(path, { headers: { origin: "https://example.com" } });
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(listOf(response, "access-control-expose-headers")).toEqual([
        "count",
        "idempotency-hit",
        "ratelimit",
        "ratelimit-policy",
        "retry-after",
        "x-florin-import-notes",
      ]);
    }
  });

  const listOf = (response: Response, name: string): string[] =>
    (response.headers.get(name) ?? "").toLowerCase().split(/, ?/);
});

describe("request bodies", () => {
  const withPosting = (posting: string): string => `{"postings":[${posting}]}`;
  const withReference = (reference: string): string =>
    `{"postings":[${POSTING}],"reference":${reference}}`;

  test.each([
    ["nothing", ""],
    ["blanks", " \n"],
    ["something else than JSON", "postings"],
    ["JSON that ends too early", '{"postings":['],
    ["text after the JSON", `${withPosting(POSTING)} {}`],
    ["a list", "[]"],
    ["null", "null"],
    ["an amount with a fraction", withPosting(POSTING.replace(":1}", ":1.0}"))],
    ["an amount with an exponent", withPosting(POSTING.replace(":1}", ":1e3}"))],
    ["a negative amount", withPosting(POSTING.replace(":1}", ":-1}"))],
    ["a text as amount", withPosting(POSTING.replace(":1}", ':"1"}'))],
    ["U+0000", withReference(String.raw`"a\u0000b"`)],
    ["a lone surrogate", withReference(String.raw`"\ud800"`)],
    ["field names in another case", withPosting(POSTING).replace("postings", "Postings")],
  ])("request bodies are refused when they hold %s, and change nothing", async (_what, body) => {
    const { status, code } = await errorOf(await api(TRANSACTIONS, { method: "POST", body }));
    expect(status).toBe(400);
    expect(["VALIDATION", "NO_POSTINGS"]).toContain(code);
    expect(await transactionsStored()).toEqual([]);
  });

  test("request bodies are refused when they are not UTF-8", async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"reference":"'), 0xff, 0x22, 0x7d]);
    const response = await sendBytes(bytes);
    expect(await errorOf(response)).toMatchObject({ status: 400, code: "VALIDATION" });
  });

  test("request bodies are refused above the limit, whether they tell their length or not", async () => {
    const text = new Uint8Array(BODY_BYTES_MAX + 1).fill(0x20);
    const stream = new Blob([text]).stream();
    for (const body of [text, stream]) {
      const response = await sendBytes(body);
      expect(await errorOf(response)).toMatchObject({ status: 413, code: "VALIDATION" });
    }
    expect(await transactionsStored()).toEqual([]);
  });

  test.each(["application/json", "text/plain", undefined])(
    "request bodies are read as JSON with the content type %s",
    async (type) => {
      const bytes = new TextEncoder().encode(withPosting(POSTING));
      const response = await sendBytes(bytes, type === undefined ? {} : { "content-type": type });
      expect(response.status).toBe(200);
    },
  );

  /** Sends a body as bytes, because text would get a content type. */
  async function sendBytes(
    body: BodyInit,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return send(`${TRANSACTIONS}?dryRun=true`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${await token()}` },
      body,
    });
  }
});
