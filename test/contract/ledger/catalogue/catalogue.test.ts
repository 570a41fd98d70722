import { beforeEach, describe, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { parseJson } from "#platform/json.ts";
import { freshLedger, inLedger, okBodyOf, pay, post, refusalOf } from "#test/support/ledger/api.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

const { v2 } = sdk().ledger;

let ledger: string;
beforeEach(async () => {
  ledger = await freshLedger();
});

const metadataOf = async (): Promise<Record<string, string>> =>
  (await okBodyOf<{ data: { metadata: Record<string, string> } }>(inLedger(ledger, ""))).data
    .metadata;

describe("the metadata of a ledger", () => {
  const put = (body: unknown) => inLedger(ledger, "/metadata", { method: "PUT", body });
  const remove = (key: string) => inLedger(ledger, `/metadata/${key}`, { method: "DELETE" });

  test("the metadata of a ledger is added to and taken from, through the SDK", async () => {
    await v2.updateLedgerMetadata({ ledger, requestBody: { env: "prod", team: "a" } });
    await v2.updateLedgerMetadata({ ledger, requestBody: { team: "b" } });
    await v2.deleteLedgerMetadata({ ledger, key: "env" });
    expect(await metadataOf()).toEqual({ team: "b" });
    const unknown = { ledger: "no-such-ledger" };
    expect(await codeOf(v2.updateLedgerMetadata({ ...unknown, requestBody: {} }))).toBe(
      "NOT_FOUND",
    );
    expect(await codeOf(v2.deleteLedgerMetadata({ ...unknown, key: "env" }))).toBe("NOT_FOUND");
  });

  test("the metadata of a ledger takes every key and text, and two writers at once", async () => {
    const odd =
      '{"":"empty","__proto__":"p","a\\"b":"q","é\\n":"","constructor":"c","10":"x","9":"y"}';
    expect((await put(odd)).status).toBe(204);
    expect(await metadataOf()).toEqual(parseJson(odd));
    expect(Object.keys(await metadataOf())).toHaveLength(7);
    await Promise.all(Array.from({ length: 10 }, (_, index) => put({ [`k${index}`]: `${index}` })));
    expect(Object.keys(await metadataOf())).toHaveLength(17);
    for (const key of ["a%22b", "__proto__", "missing", "10"]) {
      expect((await remove(key)).status).toBe(204);
    }
    expect(Object.keys(await metadataOf())).not.toContain("__proto__");
    expect(Object.keys(await metadataOf())).toHaveLength(14);
  });

  test.each(["", "null", "[]", '{"n":1}', '{"n":null}', "oops", '"x"'])(
    "the metadata of a ledger refuses %o and stays as it is",
    async (body) => {
      await put({ k: "v" });
      expect(await refusalOf(put(body))).toMatchObject({ status: 400, code: "VALIDATION" });
      expect(await metadataOf()).toEqual({ k: "v" });
    },
  );

  test("the metadata of a ledger has a limit, which also applies to what is added piece by piece", async () => {
    await put({ a: "x".repeat(40_000) });
    expect((await refusalOf(put({ b: "x".repeat(40_000) }))).code).toBe("VALIDATION");
    expect(Object.keys(await metadataOf())).toEqual(["a"]);
  });

  test("the metadata of an unknown ledger is not found", async () => {
    const path = `/api/ledger/v2/${freshName()}/metadata`;
    expect(await refusalOf(api(path, { method: "PUT", body: { a: "b" } }))).toMatchObject({
      status: 404,
      code: "NOT_FOUND",
    });
    expect((await refusalOf(api(`${path}/a`, { method: "DELETE" }))).code).toBe("NOT_FOUND");
  });
});

describe("what a ledger tells of itself", () => {
  test("the information about a ledger includes the counts of its transactions and accounts", async () => {
    const stats = async () => (await v2.readStats({ ledger })).v2StatsResponse?.data;
    expect(await stats()).toMatchObject({ transactions: 0n, accounts: 0 });
    await okBodyOf(post(ledger, pay("world -> a", 1)));
    await okBodyOf(post(ledger, pay("a -> b", 1, { accountMetadata: { c: { k: "v" } } })));
    await post(ledger, pay("nobody -> d", 1));
    await inLedger(ledger, "/transactions?dryRun=true", {
      method: "POST",
      body: pay("world -> e", 1),
    });
    expect(await stats()).toMatchObject({ transactions: 2n, accounts: 4 });
    await okBodyOf(post(ledger, pay("world -> f", 1)));
    expect(await stats()).toMatchObject({ transactions: 3n, accounts: 5 });
  });

  test("the information about a ledger includes the steps that made its tables", async () => {
    const { v2LedgerInfoResponse } = await v2.getLedgerInfo({ ledger });
    const { name, storage } = v2LedgerInfoResponse?.data ?? {};
    expect(name).toBe(ledger);
    expect(storage?.migrations?.map(({ version, state }) => `${version} ${state}`)).toEqual([
      "1 DONE",
      "2 DONE",
    ]);
  });

  test.each(["stats", "_info"])(
    "the information about an unknown ledger is not found: %s",
    async (path) => {
      for (const name of [freshName(), "dot.dot"]) {
        expect(await refusalOf(api(`/api/ledger/v2/${name}/${path}`))).toMatchObject({
          status: 404,
          code: "LEDGER_NOT_FOUND",
        });
      }
    },
  );
});

describe("the list of ledgers", () => {
  test("the list of ledgers is filtered, and walked with its filter, through the SDK", async () => {
    const bucket = freshName("bucket");
    const names = [freshName("x"), freshName("x"), freshName("y")];
    for (const [index, name] of names.entries()) {
      await v2.createLedger({
        ledger: name,
        v2CreateLedgerRequest: { bucket, metadata: { index: `${index}` } },
      });
    }
    const list = async (request: Parameters<typeof v2.listLedgers>[0]) => {
      const { cursor } = present(
        (await v2.listLedgers(request)).v2LedgerListResponse,
        "a success has a body",
      );
      return { next: cursor.next, names: cursor.data.map(({ name }) => name) };
    };
    const first = await list({ query: { $match: { bucket } }, pageSize: 2 });
    expect(first.names).toEqual(names.slice(0, 2));
    expect((await list({ cursor: present(first.next, "more") })).names).toEqual(names.slice(2));
    const query = { $and: [{ $match: { bucket } }, { $match: { "metadata[index]": "1" } }] };
    expect((await list({ query, includeDeleted: true })).names).toEqual([names[1]]);
  });

  test("the list of ledgers ends in the declared errors", async () => {
    expect(await codeOf(v2.readStats({ ledger: freshName() }))).toBe("LEDGER_NOT_FOUND");
    expect(await codeOf(v2.getLedgerInfo({ ledger: freshName() }))).toBe("LEDGER_NOT_FOUND");
    expect(await codeOf(v2.getLedger({ ledger: freshName() }))).toBe("NOT_FOUND");
    for (const request of [
      { query: { $match: { nope: 1 } } },
      { cursor: "e30" },
      { sort: "name" },
    ]) {
      expect(await codeOf(v2.listLedgers(request))).toBe("VALIDATION");
    }
  });
});
