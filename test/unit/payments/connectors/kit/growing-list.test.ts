import { expect, test } from "vitest";
import { fetchGrowingList } from "#modules/payments/connectors/kit/growing-list.ts";

const SIZE = 2;

/** Reads a list to its end. `answer` may replace the number of the page that is asked for. */
async function read(
  items: readonly string[],
  {
    state: stored,
    answer = (page) => page,
  }: { state?: unknown; answer?: (page: number) => number },
) {
  const found: string[] = [];
  const pages: number[] = [];
  let state = stored;
  for (;;) {
    const next = await fetchGrowingList<string>(
      { state, pageSize: SIZE },
      {
        readPage: async ({ page }) => {
          pages.push(page);
          const given = answer(page);
          return items.slice((given - 1) * SIZE, given * SIZE);
        },
        read: (value) => ({ id: String(value), item: value === "x" ? undefined : String(value) }),
      },
    );
    found.push(...next.items);
    state = next.state;
    if (!next.hasMore) return { found, pages, state };
  }
}

test("a list that grows is read to its end, and then from its last page on", async () => {
  const first = await read(["a", "x", "c"], {});
  expect(first).toMatchObject({ found: ["a", "c"], pages: [1, 2] });
  const idle = await read(["a", "x", "c"], first);
  expect(idle).toMatchObject({ found: [], pages: [2] });
  const later = await read(["a", "x", "c", "d", "e"], idle);
  expect(later).toMatchObject({ found: ["d", "e"], pages: [2, 3] });
  // A last page may be full, and the next page is empty until an item is added.
  const full = await read(["a", "b"], {});
  expect(full).toMatchObject({ found: ["a", "b"], pages: [1, 2] });
  expect(await read(["a", "b", "c"], full)).toMatchObject({ found: ["c"], pages: [2] });
});

test("a page that comes like the one before is asked for again, but not without an end", async () => {
  let asked = 0;
  const answer = (page: number) => (page === 2 && asked++ === 0 ? 1 : page);
  expect(await read(["a", "b", "c"], { answer })).toMatchObject({ found: ["a", "b", "c"] });
  await expect(read(["a", "b", "c"], { answer: () => 1 })).rejects.toMatchObject({
    kind: "invalid",
  });
});
