import { beforeEach, describe, expect, test } from "vitest";
import { fetchTimeline } from "#modules/payments/connectors/kit/timeline.ts";
import { fetchAll } from "#test/support/payments/plugins.ts";

/** The items of a list, the newest one first. */
let items: string[];

beforeEach(() => {
  items = ["e", "d", "c", "b", "a"];
});

const fetchPage = ({ state, pageSize }: { state: unknown; pageSize: number }) =>
  fetchTimeline(state, {
    idOf: (item: string) => item,
    list: async ({ after, before }) => {
      const end = before === undefined ? items.length : items.indexOf(before);
      const start = after === undefined ? 0 : items.indexOf(after) + 1;
      if (before === undefined) {
        const page = items.slice(start, start + pageSize);
        return { items: page, hasMore: start + pageSize < end };
      }
      return { items: items.slice(Math.max(end - pageSize, 0), end), hasMore: end > pageSize };
    },
  });

describe("a list with its newest item first", () => {
  test("a list with its newest item first is walked to its oldest item, and then read on from the newest one", async () => {
    const walk = await fetchAll(fetchPage, { pageSize: 2 });
    expect(walk).toMatchObject({ items: ["e", "d", "c", "b", "a"], pages: 3 });
    items.unshift("h", "g", "f");
    const news = await fetchAll(fetchPage, { state: walk.state, pageSize: 2 });
    expect(news.items).toEqual(["f", "g", "h"]);
    expect((await fetchAll(fetchPage, { state: news.state })).items).toEqual([]);
  });

  test("a list with its newest item first misses nothing that is added during the walk", async () => {
    const { state } = await fetchPage({ state: undefined, pageSize: 2 });
    items.unshift("g", "f");
    const rest = await fetchAll(fetchPage, { state, pageSize: 2 });
    expect(rest.items).toEqual(["c", "b", "a"]);
    expect((await fetchAll(fetchPage, { state: rest.state })).items).toEqual(["f", "g"]);
  });

  test("a list with its newest item first is walked once it is no longer empty", async () => {
    items = [];
    const empty = await fetchAll(fetchPage);
    expect(empty).toMatchObject({ items: [], pages: 1 });
    items = ["a"];
    expect((await fetchAll(fetchPage, { state: empty.state })).items).toEqual(["a"]);
  });
});
