import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { hasSources, releaseSources, useSources } from "#modules/reconciliation/sources/uses.ts";
import { databaseOf } from "#platform/db/database.ts";
import { clientWith, makeClient } from "#test/support/auth/clients.ts";
import { acting } from "#test/support/auth/takeover.ts";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { ALL_SCOPES, api, freshName } from "#test/support/platform/api.ts";
import {
  dataOf,
  failureOf,
  newLedger,
  newPool,
  pageOf,
  UNKNOWN,
} from "#test/support/reconciliation/books.ts";
import { newSource, SOURCES, type SourceView } from "#test/support/reconciliation/sources.ts";

const MAPPING = {
  delimiter: ";",
  dateFormat: "DD.MM.YYYY",
  decimalSign: ",",
  amount: { by: "amount", amount: "Betrag" },
  asset: "EUR",
  columns: { date: 1, text: ["Zweck", 4] },
};

const create = (fields: object) => api(SOURCES, { body: { name: freshName("source"), ...fields } });

describe("sources", () => {
  test("a source of each kind is created, read, listed by filters and deleted", async () => {
    const ledger = await newLedger();
    const { id: poolID } = await newPool();
    const { text: connectorID } = await storeConnector();
    const name = freshName("source");
    const kinds = [
      {
        kind: "statement",
        account: "DE02 1203",
        format: "csv",
        mapping: MAPPING,
        encoding: "utf-8",
        decimals: { USDC: 6 },
      },
      {
        kind: "accounts",
        ledger,
        account: "bank:",
        direction: "in",
        negate: true,
        references: { text: "note" },
      },
      { kind: "connector", connectorID },
      { kind: "pool", poolID },
    ];
    const made: SourceView[] = [];
    for (const fields of kinds) {
      const source = await dataOf<SourceView>(await create({ ...fields, name }), 201);
      expect(source).toMatchObject({ ...fields, name, createdBy: "test-client" });
      expect(await dataOf(await api(`${SOURCES}/${source.id}`))).toEqual(source);
      made.unshift(source);
    }
    const filter = (value: object) =>
      `${SOURCES}?query=${encodeURIComponent(JSON.stringify(value))}`;
    const listed = await pageOf(await api(filter({ $match: { name } })));
    expect(listed.data).toEqual(made);
    const pools = filter({ $and: [{ $match: { name } }, { $match: { kind: "pool" } }] });
    expect((await pageOf(await api(pools))).data).toEqual([made[0]]);
    for (const { id } of made) {
      expect((await api(`${SOURCES}/${id}`, { method: "DELETE" })).status).toBe(204);
      expect(await failureOf(await api(`${SOURCES}/${id}`))).toEqual([404, "NOT_FOUND"]);
      expect(await failureOf(await api(`${SOURCES}/${id}`, { method: "DELETE" }))).toEqual([
        404,
        "NOT_FOUND",
      ]);
    }
    expect((await pageOf(await api(filter({ $match: { name } })))).data).toEqual([]);
  });

  test.each([
    ["no kind", {}, "VALIDATION"],
    ["an unknown member", { kind: "statement", colour: "red" }, "VALIDATION"],
    [
      "a member of another kind",
      { kind: "connector", connectorID: "x", ledger: "a" },
      "VALIDATION",
    ],
    ["no name", { kind: "statement", name: " " }, "VALIDATION"],
    ["csv without a mapping", { kind: "statement", format: "csv" }, "VALIDATION"],
    [
      "a mapping of another format",
      { kind: "statement", format: "ofx", mapping: MAPPING },
      "VALIDATION",
    ],
    [
      "a mapping that contradicts itself",
      { kind: "statement", mapping: { ...MAPPING, delimiter: ",", thousandsSign: "," } },
      "VALIDATION",
    ],
    [
      "a mapping with an unknown column",
      { kind: "statement", mapping: { ...MAPPING, columns: { date: 1, when: 2 } } },
      "VALIDATION",
    ],
    ["no ledger", { kind: "accounts", ledger: "", account: "a" }, "VALIDATION"],
    [
      "a ledger that is not there",
      { kind: "accounts", ledger: "nowhere-to-be-found", account: "a" },
      "SOURCE_UNREADABLE",
    ],
    [
      "a connector that is not there",
      { kind: "connector", connectorID: "eyJ9" },
      "SOURCE_UNREADABLE",
    ],
    ["a pool that is not there", { kind: "pool", poolID: UNKNOWN }, "SOURCE_UNREADABLE"],
    ["a pool that is no UUID", { kind: "pool", poolID: "pool" }, "INVALID_ID"],
  ])("sources are refused with %s", async (_, fields, code) => {
    expect(await failureOf(await create(fields))).toEqual([400, code]);
  });

  test("a change keeps what decides which lines there are", async () => {
    const ledger = await newLedger();
    const accounts = await newSource({ kind: "accounts", ledger, account: "bank:main" });
    const path = `${SOURCES}/${accounts.id}`;
    const references = { endToEndId: "e2e" };
    const changed = await dataOf(
      await api(path, { method: "PATCH", body: { name: "new", references } }),
    );
    expect(changed).toMatchObject({
      name: "new",
      references,
      account: "bank:main",
      direction: "both",
    });
    for (const body of [{ account: "bank:other" }, { format: "ofx" }, { ledger: "other" }]) {
      expect(await failureOf(await api(path, { method: "PATCH", body }))).toEqual([
        400,
        "VALIDATION",
      ]);
    }
    const statements = await newSource({ kind: "statement", format: "csv", mapping: MAPPING });
    const other = `${SOURCES}/${statements.id}`;
    expect(await failureOf(await api(other, { method: "PATCH", body: { mapping: null } }))).toEqual(
      [400, "VALIDATION"],
    );
    const bare = await dataOf(
      await api(other, { method: "PATCH", body: { mapping: null, format: null } }),
    );
    expect(bare).not.toHaveProperty("mapping");
    expect(bare).not.toHaveProperty("format");
    const same = await dataOf(await api(other, { method: "PATCH", body: {} }));
    expect(same).toEqual(bare);
  });

  test("of changes at the same time, those that have seen another state are refused", async () => {
    const { id } = await newSource({ kind: "statement" });
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        api(`${SOURCES}/${id}`, { method: "PATCH", body: { account: `DE0${index}` } }),
      ),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].every((status) => status === 200 || status === 409)).toBe(true);
    expect(statuses.has(200)).toBe(true);
  });

  test("a source that a matching uses is not deleted, and a deleted one is not used", async () => {
    const { id } = await newSource({ kind: "statement" });
    const db = databaseOf(env);
    const use = (matchingId: string) => useSources({ env }, { matchingId, sourceIds: [id] });
    await db.batch([use("m1")]);
    expect(await db.get(hasSourcesOf("m1"))).toEqual({ is: 1 });
    expect(await failureOf(await api(`${SOURCES}/${id}`, { method: "DELETE" }))).toEqual([
      409,
      "SOURCE_IN_USE",
    ]);
    await db.batch([releaseSources({ env }, "m1")]);
    expect((await api(`${SOURCES}/${id}`, { method: "DELETE" })).status).toBe(204);
    await db.batch([use("m2")]);
    expect(await db.get(hasSourcesOf("m2"))).toEqual({ is: 0 });
  });
});

const hasSourcesOf = (matchingId: string) => sql`SELECT ${hasSources(matchingId, 1)} AS "is"`;

describe("who may use sources", () => {
  test("a client that is bound to another ledger neither makes, sees nor lists a source of this one", async () => {
    const ledger = await newLedger();
    const name = freshName("source");
    const { id } = await newSource({ kind: "accounts", ledger, account: "a", name });
    const bound = await clientWith({ scopes: ALL_SCOPES, metadata: { ledgers: "other-*" } });
    const call = (path: string, init: object = {}) => api(path, { ...init, token: bound.token });
    expect(await failureOf(await call(`${SOURCES}/${id}`))).toEqual([404, "NOT_FOUND"]);
    const listed = `${SOURCES}?query=${encodeURIComponent(JSON.stringify({ $match: { name } }))}`;
    expect((await pageOf(await call(listed))).data).toEqual([]);
    const body = { kind: "accounts", ledger, account: "a", name };
    expect((await call(SOURCES, { body })).status).toBe(401);
  });

  test("a source needs the scopes of what it reads, and a change the scope to write", async () => {
    const { text: connectorID } = await storeConnector();
    const { id } = await newSource({ kind: "connector", connectorID });
    const scopes = ["reconciliation:read", "reconciliation:write", "ledger:read"];
    const { call } = await acting(await makeClient({ id: freshName("poor"), scopes }));
    expect((await call(`${SOURCES}/${id}`)).status).toBe(401);
    expect((await call(`${SOURCES}/${id}`, { method: "DELETE" })).status).toBe(401);
    expect(
      (await call(SOURCES, { body: { kind: "connector", connectorID, name: "n" } })).status,
    ).toBe(401);
    const reader = await clientWith({ scopes: ["reconciliation:read"] });
    const body = { kind: "statement", name: "n" };
    expect((await api(SOURCES, { body, token: reader.token })).status).toBe(401);
  });
});
