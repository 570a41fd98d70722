import { beforeAll, describe, expect, test } from "vitest";
import { createLedger, inLedger, okBodyOf, refusalOf } from "#test/support/ledger/api.ts";
import { COUNT, listedLedger, type PageBody } from "#test/support/ledger/listed-ledger.ts";
import { api, freshName } from "#test/support/platform/api.ts";

let ledger: string;

beforeAll(async () => {
  ledger = await listedLedger();
});

const page = async (query: string, list = "transactions"): Promise<PageBody["cursor"]> =>
  (await okBodyOf<PageBody>(inLedger(ledger, `/${list}?${query}`))).cursor;

describe("accounts", () => {
  test("accounts are listed in the order of their addresses, both ways", async () => {
    const first = await page("pageSize=20", "accounts");
    const second = await page(`cursor=${first.next}`, "accounts");
    const addresses = [...first.data, ...second.data].map(({ address }) => address);
    expect(addresses).toEqual([
      ...Array.from({ length: COUNT }, (_, index) => `users:${String(index + 1).padStart(2, "0")}`),
      "world",
    ]);
    expect((await page(`cursor=${second.previous}`, "accounts")).data).toEqual(first.data);
    const last = await page("sort=address:desc&pageSize=2", "accounts");
    expect(last.data.map(({ address }) => address)).toEqual(["world", "users:34"]);
  });

  test("accounts are found by their whole address only", async () => {
    expect((await inLedger(ledger, "/accounts/users:01")).status).toBe(200);
    for (const address of ["users:", "users", "nobody", "a%20b", "%25"]) {
      expect(await refusalOf(inLedger(ledger, `/accounts/${address}`))).toMatchObject({
        code: "NOT_FOUND",
      });
    }
  });
});

describe("ledgers", () => {
  test("ledgers are listed oldest first, page by page, both ways", async () => {
    const names = [freshName("a"), freshName("b"), freshName("c")];
    for (const name of names) await createLedger(name);
    const read = async (query: string) =>
      (
        await okBodyOf<{ cursor: Omit<PageBody["cursor"], "data"> & { data: { name: string }[] } }>(
          api(`/api/ledger/v2?${query}`),
        )
      ).cursor;
    const newest = await read("sort=id:desc&pageSize=2");
    const rest = await read(`cursor=${newest.next}`);
    expect([...newest.data, ...rest.data].map(({ name }) => name).slice(0, 3)).toEqual(
      names.toReversed(),
    );
    expect((await read(`cursor=${rest.previous}`)).data).toEqual(newest.data);
    const all = await read("pageSize=1000");
    expect(all.data.map(({ name }) => name).slice(-3)).toEqual(names);
    for (const query of ["sort=name", "cursor=!"]) {
      expect(await refusalOf(api(`/api/ledger/v2?${query}`))).toMatchObject({ status: 400 });
    }
  });
});
