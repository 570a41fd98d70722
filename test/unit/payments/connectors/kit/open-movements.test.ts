import { describe, expect, test } from "vitest";
import { OpenMovements } from "#modules/payments/connectors/kit/open-movements.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { fetchAll, memoryStore } from "#test/support/payments/plugins.ts";
import { payment } from "#test/support/payments/provider-objects.ts";

/** The movements of one account, of which some have ended. */
function open(ends: ReadonlyMap<string, ProviderPayment | "gone">) {
  const asked: string[] = [];
  const store = memoryStore();
  const movements = new OpenMovements(store);
  const page = ({ state }: { readonly state: unknown }) =>
    movements.fetch({
      account: "a/1",
      state,
      readList: async () => ({ items: [], state: "listed", hasMore: false }),
      endOf: async (id) => {
        asked.push(id);
        return ends.get(id);
      },
    });
  return { asked, store, movements, page };
}

describe("movements that have not ended", () => {
  test("movements that have not ended are asked for in each run until their end is stored", async () => {
    const { asked, store, movements, page } = open(
      new Map([["1", payment("1", { status: "FAILED" })]]),
    );
    for (const id of ["1", "10", "1"]) await movements.add("a/1", id);
    await movements.add("a", "other");
    const first = await fetchAll(page);
    expect(first.items.map(({ reference }) => reference)).toEqual(["1"]);
    // The open movement is asked for again, because the page with its end may not have been stored.
    expect(await store.list("open-movement/a%2F1/")).toHaveLength(2);
    await fetchAll(page, { state: first.state });
    expect(await store.list("open-movement/a%2F1/")).toMatchObject([{ value: "10" }]);
    expect(asked).toEqual(["1", "10", "10"]);
  });

  test("movements that have not ended are asked for in pages of ten, without those that are gone", async () => {
    const ids = Array.from({ length: 25 }, (_, at) => String(at));
    const { asked, movements, page } = open(new Map(ids.map((id) => [id, "gone"])));
    for (const id of ids) await movements.add("a/1", id);
    const { items, pages } = await fetchAll(page);
    expect([items.length, pages, asked.length]).toEqual([0, 4, 25]);
  });
});
