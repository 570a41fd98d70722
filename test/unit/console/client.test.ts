import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiClient, toWire } from "#console/api/client.ts";
import { ApiError } from "#console/api/errors.ts";

const LEDGERS = "/api/ledger/v2";

describe("a request", () => {
  test("a request has its parameters in the path and the query, without those that are undefined", () => {
    const input = {
      path: { ledger: "a/b", id: "9007199254740993" },
      query: { expand: ["volumes", "effectiveVolumes"], pit: undefined },
    };
    expect(toWire("get", "/api/ledger/v2/{ledger}/transactions/{id}", input)).toEqual({
      method: "GET",
      url: "/api/ledger/v2/a%2Fb/transactions/9007199254740993?expand=volumes&expand=effectiveVolumes",
    });
  });

  test("a body keeps integers of any size", () => {
    const { body } = toWire("post", "/api/ledger/v2/{ledger}", {
      path: { ledger: "a" },
      body: { amount: 2n ** 70n },
    });
    expect(body).toBe(`{"amount":${2n ** 70n}}`);
  });
});

describe("the client", () => {
  const sent = vi.fn<typeof fetch>();
  const tokens = {
    token: () => Promise.resolve("one"),
    renew: vi.fn<(refused: string) => Promise<string>>(() => Promise.resolve("two")),
  };
  const client = new ApiClient(tokens);

  beforeEach(() => vi.stubGlobal("fetch", sent));
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.clearAllMocks();
  });

  const authorizations = (): (string | null)[] =>
    sent.mock.calls.map(([, init]) => new Headers(init?.headers).get("authorization"));

  test("an answer keeps integers of any size", async () => {
    sent.mockResolvedValueOnce(new Response(`{"cursor":${2n ** 70n}}`));
    expect(await client.get(LEDGERS, {})).toEqual({ cursor: 2n ** 70n });
  });

  test("a refused token is renewed once, and the request is sent again", async () => {
    sent.mockResolvedValueOnce(new Response(null, { status: 401 }));
    sent.mockResolvedValueOnce(new Response("{}"));
    await client.get(LEDGERS, {});
    expect(authorizations()).toEqual(["Bearer one", "Bearer two"]);
    expect(tokens.renew).toHaveBeenCalledExactlyOnceWith("one");
  });

  test("a failed request throws the code, the sentence and the request's id of the answer", async () => {
    sent.mockResolvedValueOnce(
      new Response(`{"errorCode":"NOT_FOUND","errorMessage":"no such ledger"}`, {
        status: 404,
        headers: { "x-request-id": "r1" },
      }),
    );
    const error = await client.get(LEDGERS, {}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 404,
      code: "NOT_FOUND",
      message: "no such ledger",
      requestId: "r1",
      isTemporary: false,
    });
  });

  test("a server that is away is an error that may pass", async () => {
    sent.mockRejectedValueOnce(new TypeError("fetch failed"));
    const error = await client.get(LEDGERS, {}).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 0, isTemporary: true });
  });
});
