import { describe, expect, test } from "vitest";
import { respondInPages } from "#platform/http/answers.ts";

const LARGE = 10n ** 30n;

/**
 * A source of pages, followed by the error, if one is given. The state shows how many pages were read and whether the source
 * was closed.
 */
function pagesOf(pages: readonly object[][], error?: Error) {
  const state = { made: 0, isLeft: false };
  async function* make() {
    try {
      for (const page of pages) {
        state.made++;
        yield page;
      }
      if (error !== undefined) throw error;
    } finally {
      state.isLeft = true;
    }
  }
  return { state, pages: make() };
}

const answer = (pages: AsyncIterable<object[]>, members = {}) =>
  respondInPages({ status: 200, pages, members }, { request: { id: "1", ticket: undefined } });

describe("an answer in pages", () => {
  test.each<[object[][], object, string]>([
    [[], {}, '{"data":[]}'],
    [[[]], {}, '{"data":[]}'],
    [[[{ a: 1 }]], {}, '{"data":[{"a":1}]}'],
    [[[], [{ a: 1 }, { b: LARGE }], [], [{}]], {}, `{"data":[{"a":1},{"b":${LARGE}},{}]}`],
    [[], { c: LARGE, d: undefined }, `{"data":[],"c":${LARGE}}`],
    [[[{}], [{}]], { c: "x", d: 1 }, '{"data":[{},{}],"c":"x","d":1}'],
  ])("an answer in pages is one JSON value: case %#", async (pages, members, text) => {
    const response = await answer(pagesOf(pages).pages, members);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe(text);
  });

  test("an answer in pages makes a page when the client has read the one before", async () => {
    const { pages, state } = pagesOf([[{ a: 1 }], [{ b: 2 }], [{ c: 3 }]]);
    const response = await answer(pages);
    expect(state.made).toBe(1);
    const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
    await reader.read();
    expect(state.made).toBe(1);
    await reader.read();
    expect(state.made).toBe(2);
    await reader.cancel();
    expect(state).toEqual({ made: 2, isLeft: true });
  });

  test("an answer in pages fails if its first page fails", async () => {
    const error = new Error("no page");
    await expect(answer(pagesOf([], error).pages)).rejects.toBe(error);
  });

  test("an answer in pages is cut off if a later page fails", async () => {
    const response = await answer(pagesOf([[{ a: 1 }]], new Error("no page")).pages);
    await expect(response.text()).rejects.toThrow("no page");
  });
});
