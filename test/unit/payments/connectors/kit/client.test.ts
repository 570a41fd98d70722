import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { ConnectorErrorKind } from "#modules/payments/connectors/connector-error.ts";
import { ApiClient } from "#modules/payments/connectors/kit/client.ts";
import { providerFetch } from "#modules/payments/connectors/kit/http.ts";
import { OPEN_GATE } from "#platform/http/outbound.ts";

let answer: () => Response;
let asked: Request;

beforeEach(() => {
  answer = () => Response.json({ id: "1" });
});

let kind: ConnectorErrorKind | undefined;
const client = new ApiClient(
  providerFetch({
    fetch: async (url, init) => {
      asked = new Request(url, init);
      return answer();
    },
    policy: { allowPrivateHosts: false },
    gate: OPEN_GATE,
    secrets: ["psp-key"],
  }),
  {
    baseUrl: "https://psp.example/v1/",
    headers: async () => ({ authorization: "Bearer psp-key" }),
    errorKindOf: () => kind,
  },
);
const Answer = z.object({ id: z.string() });

describe("the API of a provider", () => {
  test("a request of a provider's API has a query, and its answer is checked", async () => {
    const query = { limit: 2, cursor: undefined, expand: ["a", "b&c"] };
    expect(await client.read({ path: "/accounts", query }, Answer, "an account")).toEqual({
      id: "1",
    });
    expect(asked.url).toBe("https://psp.example/v1/accounts?limit=2&expand=a&expand=b%26c");
    expect(asked.headers.get("authorization")).toBe("Bearer psp-key");
    answer = () => Response.json({ id: 1 });
    await expect(client.read({ path: "/accounts" }, Answer, "an account")).rejects.toThrow(
      "an account: 'id' of the provider is not valid",
    );
  });

  test("a request of a provider's API has a body as JSON or as a form", async () => {
    await client.send({ method: "POST", path: "/a", json: { amount: 10n ** 20n, no: undefined } });
    expect(asked.headers.get("content-type")).toBe("application/json");
    expect(await asked.text()).toBe('{"amount":100000000000000000000}');
    await client.send({
      method: "POST",
      path: "/a",
      form: { "metadata[a]": "ä b", amount: 5n, no: undefined },
      headers: { "idempotency-key": "ref" },
    });
    expect(asked.headers.get("content-type")).toBe("application/x-www-form-urlencoded");
    expect(asked.headers.get("idempotency-key")).toBe("ref");
    expect(await asked.text()).toBe("metadata%5Ba%5D=%C3%A4+b&amount=5");
  });

  test("a request of a provider's API may find nothing", async () => {
    answer = () => new Response(null, { status: 404 });
    expect(await client.find({ path: "/accounts/1" }, Answer, "an account")).toBeUndefined();
    await expect(client.read({ path: "/accounts/1" }, Answer, "an account")).rejects.toThrow("404");
  });

  test("an answer of a provider's API may be an error with the status of a success", async () => {
    answer = () =>
      Response.json({ errors: [{ code: "BUSY", message: "try later" }] }, { status: 400 });
    kind = undefined;
    await expect(client.send({ path: "/" })).rejects.toMatchObject({
      kind: "invalid",
      message: "GET /v1/: the provider answered 400: BUSY: try later",
    });
    kind = "rate-limited";
    await expect(client.send({ path: "/" })).rejects.toMatchObject({ kind, retryAfterMs: 5000 });
  });
});
