import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  callOutbound,
  OPEN_GATE,
  type Fetch,
  NETWORK_BINDING,
  type OutboundCall,
  systemFetch,
} from "#platform/http/outbound.ts";

const CALL: OutboundCall = {
  method: "POST",
  url: "https://hooks.example.com/in",
  headers: { "x-test": "1" },
  body: "hello",
  timeoutMs: 5000,
  bodyBytesMax: 10,
};
const run = (fetch: Fetch, call: Partial<OutboundCall> = {}) =>
  callOutbound(
    { ...CALL, ...call },
    { fetch, policy: { allowPrivateHosts: false }, gate: OPEN_GATE },
  );

/** A body with the given chunks that ends as `end` says. */
const bodyOf = (chunks: readonly string[], end: "close" | "fail" | "hang" | "endless" | "drip") => {
  const encoder = new TextEncoder();
  let index = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[index++] ?? (end === "endless" ? "x" : undefined);
        if (chunk !== undefined) controller.enqueue(encoder.encode(chunk));
        else if (end === "close") controller.close();
        else if (end === "fail") controller.error(new Error("connection lost"));
        else if (end === "drip") return delay(1).then(() => controller.enqueue(new Uint8Array(0)));
        else return new Promise(() => undefined);
        return undefined;
      },
    },
    { highWaterMark: 0 },
  );
};

afterEach(() => vi.restoreAllMocks());

test("an outbound call goes by the binding to the network where there is one, and by the runtime elsewhere", async () => {
  const runtime = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("runtime"));
  const network = { fetch: vi.fn<Fetch>().mockResolvedValue(new Response("binding")) };
  const textBy = async (env: object): Promise<string> => {
    const response = await systemFetch(env)("https://hooks.example.com/", { method: "PUT" });
    return response.text();
  };
  expect(await textBy({ [NETWORK_BINDING]: network })).toBe("binding");
  expect(network.fetch).toHaveBeenCalledWith("https://hooks.example.com/", { method: "PUT" });
  expect(runtime).not.toHaveBeenCalled();
  expect(await textBy({ [NETWORK_BINDING]: "a text" })).toBe("runtime");
});

test("an outbound call sends what it was given and follows no redirect", async () => {
  const seen: { url: string; init: RequestInit }[] = [];
  const result = await run(async (url, init) => {
    seen.push({ url, init });
    return new Response(null, { status: 302, headers: { location: "http://127.0.0.1/" } });
  });
  expect(result).toMatchObject({ kind: "answered", status: 302 });
  expect(seen).toHaveLength(1);
  expect(seen[0]?.init).toMatchObject({ method: "POST", body: "hello", redirect: "manual" });
});

test("an outbound call calls the host that was judged, however the URL is written", async () => {
  const seen: string[] = [];
  await run(
    async (url) => {
      seen.push(url);
      return new Response();
    },
    { url: "HTTP://Example.com\\@127.0.0.1/" },
  );
  expect(seen).toEqual(["http://example.com/@127.0.0.1/"]);
});

test("an outbound call opens no socket to a private address", async () => {
  let calls = 0;
  const result = await run(
    async () => {
      calls++;
      return new Response();
    },
    { url: "http://169.254.169.254/latest/meta-data" },
  );
  expect(result).toEqual({
    kind: "unreachable",
    error: "the URL names 169.254.169.254, which is not a public host",
  });
  expect(calls).toBe(0);
});

test("a failure to connect is a result", async () => {
  const result = await run(() => Promise.reject(new Error("connection refused")));
  expect(result).toEqual({ kind: "unreachable", error: "connection refused" });
});

test("a call to an endpoint that does not answer times out", async () => {
  let aborted = false;
  const fetch: Fetch = (_url, init) =>
    new Promise(() => init.signal?.addEventListener("abort", () => (aborted = true)));
  const result = await run(fetch, { timeoutMs: 10 });
  expect(result).toEqual({ kind: "unreachable", error: "no complete answer within 0.01 s" });
  expect(aborted).toBe(true);
});

describe("the body of an answer", () => {
  const read = async (chunks: readonly string[], end: Parameters<typeof bodyOf>[1], ms = 5000) => {
    const result = await run(async () => new Response(bodyOf(chunks, end)), { timeoutMs: ms });
    if (result.kind !== "answered") throw new Error(result.error);
    return { text: new TextDecoder().decode(result.body), error: result.bodyError };
  };

  test("the body of an answer is read to its end", async () => {
    expect(await read(["abc", "def"], "close")).toEqual({ text: "abcdef", error: undefined });
  });
  test("the body of an answer is cut at the limit, even when it never ends", async () => {
    expect(await read(["abcdefgh"], "endless")).toEqual({ text: "abcdefghxx", error: undefined });
    expect(await read(["abcdefghijklmnop"], "close")).toEqual({
      text: "abcdefghij",
      error: undefined,
    });
  });
  test("the body of an answer that breaks off keeps the status and what was read", async () => {
    expect(await read(["abc"], "fail")).toEqual({ text: "abc", error: "connection lost" });
  });
  test("the body of an answer that hangs times out", async () => {
    expect(await read(["abc"], "hang", 10)).toEqual({
      text: "abc",
      error: "no complete answer within 0.01 s",
    });
  });
  test("the body of an answer that drips without reaching the limit is given up in time", async () => {
    expect(await read(["abc"], "drip", 50)).toEqual({
      text: "abc",
      error: "no complete answer within 0.05 s",
    });
  });
  test("the body of an answer whose length is known is read whole, unless it is compressed or longer than what is kept", async () => {
    const readOf = async (headers: Record<string, string>, text = "0123456789") => {
      const result = await run(async () => new Response(text, { headers }), { bodyBytesMax: 10 });
      return result.kind === "answered" ? new TextDecoder().decode(result.body) : result.error;
    };
    expect(await readOf({ "content-length": "10" })).toBe("0123456789");
    expect(await readOf({ "content-length": "11" }, "0123456789x")).toBe("0123456789");
    // The `content-length` is the length of the compressed text.
    expect(await readOf({ "content-length": "5", "content-encoding": "br" }, "0".repeat(99))).toBe(
      "0".repeat(10),
    );
  });

  test("the body of an answer of known length that breaks off or hangs is a failure of the body", async () => {
    const headers = { "content-length": "10" };
    for (const end of ["fail", "hang"] as const) {
      const result = await run(async () => new Response(bodyOf(["ab"], end), { headers }), {
        timeoutMs: 50,
      });
      expect(result).toMatchObject({ kind: "answered", status: 200 });
      expect(result).toHaveProperty("bodyError");
    }
  });

  test("the body of an answer of length zero is not waited for", async () => {
    const headers = { "content-length": "0" };
    const result = await run(async () => new Response(bodyOf([], "hang"), { headers }));
    expect(result).toMatchObject({ kind: "answered", status: 200, body: new Uint8Array() });
    expect(result).not.toHaveProperty("bodyError");
  });

  test("the body of an answer may be absent", async () => {
    const result = await run(async () => new Response(null, { status: 204 }));
    expect(result).toMatchObject({ kind: "answered", status: 204, body: new Uint8Array() });
  });
});
