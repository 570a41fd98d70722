import { describe, expect, test } from "vitest";
import { fetchNewestList, type NewestPage } from "#modules/payments/connectors/kit/newest-list.ts";
import { present } from "#platform/assert.ts";
import { parseTimestamp } from "#platform/time.ts";
import { fetchAll } from "#test/support/payments/plugins.ts";

const at = (minute: number) =>
  present(parseTimestamp(`2026-03-01T09:${String(minute).padStart(2, "0")}:00Z`), "it is a time");

/** A list of minutes, whose pages are named by their first minute. */
function listOf(minutes: number[], follow: (page: NewestPage) => NewestPage = (page) => page) {
  return (request: { readonly state: unknown; readonly pageSize: number }) =>
    fetchNewestList(request, {
      readPage: async ({ since, cursor, pageSize }) => {
        const wanted = minutes.filter((minute) => since === undefined || at(minute) >= since);
        const start = Number(cursor ?? 0);
        const end = start + pageSize;
        const values = wanted.toReversed().slice(start, end);
        return follow({ values, next: end < wanted.length ? String(end) : undefined });
      },
      read: (value) => ({ id: `at ${String(value)}`, time: at(Number(value)), item: value }),
    });
}

describe("a list with its newest object first", () => {
  test("a list with its newest object first is read to its end, and then from its newest object on", async () => {
    const minutes = [1, 2, 3, 4, 5];
    const first = await fetchAll(listOf(minutes), { pageSize: 2 });
    expect(first.items).toEqual([5, 4, 3, 2, 1]);
    minutes.push(6);
    const second = await fetchAll(listOf(minutes), { state: first.state, pageSize: 2 });
    expect(second.items).toEqual([6]);
    const third = await fetchAll(listOf(minutes), { state: second.state, pageSize: 2 });
    expect(third.items).toEqual([]);
  });

  test("a list with its newest object first hides nothing that is added while it is read", async () => {
    const minutes = [1, 2, 3, 4];
    const page = await listOf(minutes)({ state: undefined, pageSize: 2 });
    minutes.push(5);
    const rest = await fetchAll(listOf(minutes), { state: page.state, pageSize: 2 });
    const later = await fetchAll(listOf(minutes), { state: rest.state, pageSize: 2 });
    expect(new Set([...page.items, ...rest.items, ...later.items])).toEqual(new Set(minutes));
  });

  test("a list with its newest object first ends a run at a page that names itself, and goes on there", async () => {
    const minutes = [1, 2, 3, 4, 5];
    const stuck = await fetchAll(
      listOf(minutes, (page) => ({ ...page, next: "2" })),
      { pageSize: 2 },
    );
    expect(stuck.pages).toBe(2);
    const rest = await fetchAll(listOf(minutes), { state: stuck.state, pageSize: 2 });
    expect(rest.items).toEqual([3, 2, 1]);
  });

  test("a list with its newest object first does not step back when it is empty", async () => {
    const { state } = await fetchAll(listOf([3]), { pageSize: 2 });
    const empty = await fetchAll(listOf([]), { state, pageSize: 2 });
    expect(empty).toMatchObject({ items: [], state: { since: at(3) } });
  });
});
