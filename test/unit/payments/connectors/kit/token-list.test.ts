import { expect, test } from "vitest";
import { rowOf } from "#modules/payments/connectors/kit/objects.ts";
import { fetchTokenList } from "#modules/payments/connectors/kit/token-list.ts";

const page = (state: unknown, next: string | undefined) => {
  const tokens: (string | undefined)[] = [];
  const read = (value: unknown) => (value === "x" ? undefined : String(value));
  const readPage = async ({ token }: { readonly token: string | undefined }) => {
    tokens.push(token);
    return { values: ["a", "x", "b"], next };
  };
  return fetchTokenList({ state, pageSize: 3 }, { readPage, read }).then((fetched) => ({
    ...fetched,
    tokens,
  }));
};

test("a list behind tokens is read from its beginning to its end by each run", async () => {
  expect(await page(undefined, "t-2")).toMatchObject({
    items: ["a", "b"],
    state: { token: "t-2" },
    hasMore: true,
    tokens: [undefined],
  });
  const last = await page({ token: "t-2" }, undefined);
  expect(last).toMatchObject({ hasMore: false, tokens: ["t-2"] });
  expect(last.state).toBeUndefined();
});

test("a page that names itself as the next one ends the run", async () => {
  const fetched = await page({ token: "t-2" }, "t-2");
  expect(fetched.hasMore).toBe(false);
  expect(fetched.state).toBeUndefined();
});

test.each([
  ["booked", "SUCCEEDED"],
  ["lately invented", undefined],
  ["constructor", undefined],
  [null, undefined],
  [undefined, undefined],
])("the row of a table of mappings for %s is %s", (name, row) => {
  expect(rowOf({ booked: "SUCCEEDED" }, name)).toBe(row);
});
