import { describe, expect, test, vi } from "vitest";
import { readChunks } from "#platform/http/body.ts";

/**
 * A request whose body has the given chunks, and then ends as `end` says. The state shows whether the body was read or
 * cancelled.
 */
function requestOf(chunks: readonly string[], end: "closes" | "breaks" | "hangs") {
  const state = { taken: 0, isLeft: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[state.taken];
        if (chunk !== undefined) {
          state.taken++;
          controller.enqueue(new TextEncoder().encode(chunk));
        } else if (end === "closes") controller.close();
        else if (end === "breaks") controller.error(new Error("connection lost"));
        else return new Promise(() => undefined);
      },
      cancel() {
        state.isLeft = true;
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: "POST", body, duplex: "half" } as const;
  return { request: new Request("http://localhost/", init), state };
}

/** The first chunks of a body as texts. */
async function take(request: Request, count = Infinity): Promise<string[]> {
  const texts: string[] = [];
  if (count === 0) return texts;
  for await (const chunk of readChunks(request)) {
    texts.push(new TextDecoder().decode(chunk));
    if (texts.length === count) break;
  }
  return texts;
}

describe("a body that is read as it arrives", () => {
  test("a body that is read as it arrives gives its chunks", async () => {
    expect(await take(requestOf(["a", "b"], "closes").request)).toEqual(["a", "b"]);
    expect(await take(new Request("http://localhost/", { method: "POST" }))).toEqual([]);
  });

  test("a body that is read as it arrives is not valid where it breaks off", async () => {
    const { request } = requestOf(["a"], "breaks");
    const texts: string[] = [];
    const reading = (async () => {
      for await (const chunk of readChunks(request)) texts.push(new TextDecoder().decode(chunk));
    })();
    await expect(reading).rejects.toMatchObject({ kind: "VALIDATION" });
    expect(texts).toEqual(["a"]);
  });

  test("a body is read to its end even if the rest is not wanted, so that the client reads its answer", async () => {
    for (const end of ["closes", "breaks"] as const) {
      const { request, state } = requestOf(["a", "b", "c"], end);
      expect(await take(request, 1)).toEqual(["a"]);
      expect(state.taken).toBe(3);
    }
  });

  test("a body that is read as it arrives is cancelled if the rest is long", async () => {
    const large = "x".repeat(1024 * 1024);
    const { request, state } = requestOf(
      Array.from({ length: 100 }, () => large),
      "closes",
    );
    await take(request, 1);
    expect(state.isLeft).toBe(true);
    expect(state.taken).toBeLessThan(40);
  });

  test("a body that is read as it arrives is cancelled if the rest does not arrive", async () => {
    vi.useFakeTimers();
    const { request, state } = requestOf(["a", "b"], "hangs");
    const taken = take(request, 1);
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    expect(await taken).toEqual(["a"]);
    expect(state).toEqual({ taken: 2, isLeft: true });
  });
});
