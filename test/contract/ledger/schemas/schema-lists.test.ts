import { describe, expect, test, vi } from "vitest";
import { freshLedger, inLedger, objectOf, okBodyOf, refusalOf } from "#test/support/ledger/api.ts";
import {
  DEPOSIT,
  exportOf,
  filtered,
  importedCopy,
  insertedSchema,
  insertSchema,
  ledgerWith,
  listSchemas,
  logsOf,
  metadataOf,
  readSchema,
  runQuery,
  USERS_CHART,
  versionsOf,
} from "#test/support/ledger/schema-api.ts";
import { api } from "#test/support/platform/api.ts";
import { evict } from "#test/support/platform/evict.ts";

const WITH_TEMPLATE = { chart: USERS_CHART, transactions: { deposit: { script: DEPOSIT } } };

describe("the names in a schema", () => {
  test.each([
    "a/b",
    "a%2Fb",
    "100%",
    '"',
    '1,{"s":"v0"}]',
    "\\u0000",
    "<&>é\u2028\u{1F600}",
    "\t\n\u0001",
    " v ",
    "a?b#c",
    "__proto__",
    "constructor",
    "v".repeat(255),
  ])("a version may be %j", async (version) => {
    const ledger = await freshLedger();
    await insertedSchema(ledger, "v0");
    await insertedSchema(ledger, version, WITH_TEMPLATE);
    const { createdAt: _date, ...schema } = await readSchema(ledger, version);
    const description = "";
    expect(schema).toEqual({
      chart: USERS_CHART,
      transactions: { deposit: { description, script: DEPOSIT } },
      version,
    });
    expect(await refusalOf(insertSchema(ledger, version, { body: { chart: {} } }))).toMatchObject({
      status: 409,
    });
    const query = `schemaVersion=${encodeURIComponent(version)}`;
    const body = { script: { template: "deposit", vars: { amount: "USD 5", to: "users:1" } } };
    await okBodyOf(inLedger(ledger, `/transactions?${query}`, { body }));
    const key = "k";
    expect(
      (await inLedger(ledger, `/accounts/users:2/metadata?${query}`, { body: { [key]: "v" } })).ok,
    ).toBe(true);
    // An insertion may name another schema, and its entry then has that version.
    const second = await insertSchema(ledger, "v2", { body: { chart: {} }, query: `?${query}` });
    expect(second.status).toBe(204);
    expect((await readSchema(ledger, "v2")).chart).toEqual({});
    await evict(objectOf(ledger));
    expect(await versionsOf(ledger, `?${filtered({ $match: { version } })}`)).toEqual([version]);
    const logs = await logsOf(ledger);
    expect(logs.map(({ schemaVersion }) => schemaVersion)).toEqual([
      undefined,
      undefined,
      version,
      version,
      version,
    ]);
    const text = await exportOf(ledger);
    expect(await exportOf(await importedCopy(text))).toBe(text);
  });

  test("a version has at most 255 characters", async () => {
    const ledger = await freshLedger();
    const refusal = await refusalOf(insertSchema(ledger, "v".repeat(256), { body: { chart: {} } }));
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
  });

  test.each(["__proto__", "constructor", "toString", "10"])(
    "segments, metadata, templates, queries and variables may be called %s",
    async (name) => {
      const ledger = await freshLedger();
      // The body is written as text, because an object literal would lose one of the names.
      const key = JSON.stringify(name);
      const chart = `{${key}:{".metadata":{${key}:{"default":"d"}},".self":{},${key}:{}},"world":{}}`;
      const transactions = `{${key}:{"script":${JSON.stringify(DEPOSIT)}}}`;
      const queries = `{${key}:{"resource":"accounts","vars":{${key}:"string"},"body":{"$match":{"address":"world"}}}}`;
      const body = `{"chart":${chart},"transactions":${transactions},"queries":${queries}}`;
      await insertedSchema(ledger, "v1", body);
      const read = await (await inLedger(ledger, "/schemas/v1")).text();
      expect(read).toContain(`"queries":{${key}:`);
      expect(read).toContain(`"transactions":{${key}:`);
      const vars = { amount: "USD 5", to: name };
      const created = await inLedger(ledger, "/transactions?schemaVersion=v1", {
        body: { script: { template: name, vars } },
      });
      expect(created.status).toBe(200);
      expect(await (await inLedger(ledger, `/accounts/${name}`)).text()).toContain(
        `"metadata":{${key}:"d"}`,
      );
      const run = await runQuery(ledger, name, { body: `{"vars":{${key}:"x"}}` });
      expect(await run.json()).toMatchObject({ cursor: { data: [{ address: "world" }] } });
      const text = await exportOf(ledger);
      expect(await exportOf(await importedCopy(text))).toBe(text);
    },
  );
});

describe("the list of schemas", () => {
  async function threeSchemas(): Promise<string> {
    const ledger = await freshLedger();
    for (const version of ["b", "a", "C"]) await insertedSchema(ledger, version);
    return ledger;
  }

  test.each([
    ["", ["C", "a", "b"]],
    ["?sort=created_at&order=desc", ["C", "a", "b"]],
    ["?sort=createdAt&order=asc", ["b", "a", "C"]],
    ["?order=asc", ["b", "a", "C"]],
    ["?order=up", ["C", "a", "b"]],
    ["?sort=created_at:asc&order=desc", ["b", "a", "C"]],
    ["?sort=version:asc", ["C", "a", "b"]],
    ["?sort=version&order=desc", ["b", "a", "C"]],
    [`?${filtered({ $match: { version: "a" } })}`, ["a"]],
    [`?${filtered({ $in: { version: ["b", "C", "x"] } })}`, ["C", "b"]],
    [`?${filtered({ $like: { version: "_" } })}`, ["C", "a", "b"]],
    [`?${filtered({ $not: { $match: { version: "a" } } })}`, ["C", "b"]],
    [`?${filtered({ $lt: { created_at: "2020-01-01T00:00:00Z" } })}`, []],
    ["?pit=2020-01-01T00:00:00Z", []],
  ])("the list of schemas with %j has %j", async (query, versions) => {
    expect(await versionsOf(await threeSchemas(), query)).toEqual(versions);
  });

  test.each([
    "?sort=chart",
    "?sort=version:up",
    "?pageSize=x",
    "?pit=x",
    "?cursor=e30",
    `?${filtered({ $match: { chart: "x" } })}`,
  ])("the list of schemas refuses %j", async (query) => {
    const refusal = await refusalOf(inLedger(await threeSchemas(), `/schemas${query}`));
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
  });

  test.each(["sort=version:asc", "sort=created_at:asc", ""])(
    "the list of schemas is walked both ways: %s",
    async (sort) => {
      const ledger = await threeSchemas();
      const whole = await versionsOf(ledger, `?${sort}`);
      const first = await listSchemas(ledger, `?pageSize=2&${sort}`);
      const second = await listSchemas(ledger, `?cursor=${first.next}`);
      expect([...first.data, ...second.data].map(({ version }) => version)).toEqual(whole);
      expect(second).toMatchObject({ hasMore: false, next: "" });
      const back = await listSchemas(ledger, `?cursor=${second.previous}`);
      expect(back.data).toEqual(first.data);
      const other = await freshLedger();
      expect(await refusalOf(inLedger(other, `/schemas?cursor=${first.next}`))).toMatchObject({
        status: 400,
      });
    },
  );

  test("the list of schemas as of the date of a schema shows it, and not later ones", async () => {
    const ledger = await freshLedger();
    await insertedSchema(ledger, "v1");
    const { createdAt } = await readSchema(ledger, "v1");
    await vi.waitUntil(() => new Date().toISOString() > createdAt);
    await insertedSchema(ledger, "v2");
    expect(await versionsOf(ledger, `?pit=${createdAt}`)).toEqual(["v1"]);
  });

  test("the list of schemas ends a page early where schemas are large, and loses none", async () => {
    const ledger = await freshLedger();
    const filler = "x".repeat(99_000);
    const script = `/*${filler}*/\n${DEPOSIT}`;
    const transactions = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, { script }]));
    const versions = Array.from({ length: 24 }, (_, index) => `v${index}`);
    for (const version of versions)
      await insertedSchema(ledger, version, { chart: {}, transactions });
    const found: string[] = [];
    let page = await listSchemas(ledger, "?pageSize=1000&order=asc");
    expect(page.data.length).toBeLessThan(24);
    for (;;) {
      found.push(...page.data.map(({ version }) => version));
      if (!page.hasMore) break;
      page = await listSchemas(ledger, `?cursor=${page.next}`);
    }
    expect(found).toEqual(versions);
  });
});

describe("the log of a ledger with schemas", () => {
  test("the log of a ledger with schemas has what was inserted, and gives the same export after an import", async () => {
    const ledger = await ledgerWith(WITH_TEMPLATE);
    const query = { resource: "logs", vars: { n: { type: "int", default: 2n ** 64n } } };
    await insertedSchema(ledger, "v2", { chart: USERS_CHART, queries: { q: query } });
    const script = { template: "deposit", vars: { amount: `USD ${10n ** 30n}`, to: "users:1" } };
    await okBodyOf(inLedger(ledger, "/transactions?schemaVersion=v1", { body: { script } }));
    await okBodyOf(inLedger(ledger, "/transactions/1/revert?schemaVersion=v2", { method: "POST" }));
    const path = "/accounts/users:2/metadata?schemaVersion=v2";
    expect((await inLedger(ledger, path, { body: { k: "v" } })).status).toBe(204);
    const [first, second] = await logsOf(ledger);
    const { createdAt, ...schema } = await readSchema(ledger, "v1");
    expect(first).toMatchObject({
      type: "INSERTED_SCHEMA",
      data: { schema: { ...schema, createdAt } },
      id: 1,
      idempotencyKey: "",
    });
    expect(first).not.toHaveProperty("schemaVersion");
    expect(second).toMatchObject({
      data: { schema: { queries: { q: { vars: { n: { default: 2n ** 64n } } } } } },
    });
    const text = await exportOf(ledger);
    const copy = await importedCopy(text);
    expect(await exportOf(copy)).toBe(text);
    expect(await readSchema(copy, "v2")).toEqual(await readSchema(ledger, "v2"));
    expect(await metadataOf(copy, "users:2")).toEqual({ k: "v", tier: "basic" });
    await okBodyOf(inLedger(copy, "/transactions?schemaVersion=v1", { body: { script } }));
  });

  test("the log of a ledger with schemas prints their integers as integers, even if amounts are asked for as texts", async () => {
    const ledger = await ledgerWith({
      chart: {},
      queries: { q: { resource: "logs", vars: { n: { type: "int", default: 2n ** 64n } } } },
    });
    const headers = { "formance-bigint-as-string": "true" };
    const text = await (await inLedger(ledger, "/logs", { headers })).text();
    expect(text).toContain(`"default":${2n ** 64n}}`);
  });

  test("the log of a ledger with schemas is verified", async () => {
    const ledger = await ledgerWith(WITH_TEMPLATE);
    const body = { script: { template: "deposit", vars: { amount: "USD 5", to: "users:1" } } };
    await okBodyOf(inLedger(ledger, "/transactions?schemaVersion=v1", { body }));
    const response = await api(`/api/florin/v1/ledgers/${ledger}/verify`, { method: "POST" });
    expect(await response.json()).toMatchObject({ data: { status: "consistent" } });
  });
});
