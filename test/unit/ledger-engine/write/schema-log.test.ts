import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Features } from "#ledger-engine/rules/types.ts";
import { stringifyJson } from "#platform/json.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";
import {
  ALL,
  BARE,
  create,
  deleteMetadata,
  insertSchema,
  posting,
  revert,
  setMetadata,
  template,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import {
  type Changes,
  changed,
  copyOf,
  exportOf,
  importInto,
  linesOf,
} from "#test/support/ledger-engine/logs.ts";
import { refusalTextOf, SchemaLedger } from "#test/support/ledger-engine/schema-ledgers.ts";

const v1 = { schema: "v1" };
const v2 = { schema: "v2" };

/** A ledger with every type of entry that names a schema, and some that name none. */
function variedLedger(features: Partial<Features> = {}): SchemaLedger {
  const ledger = new SchemaLedger({ isStrict: false, features });
  ledger.commit(
    create([posting("world -> users:1", 5), posting("users:1 -> odd", 1)], {
      accountMetadata: { "users:1": { tier: "gold" }, "users:2": {} },
    }),
    v1,
  );
  ledger.commit(template("pay", { amount: "USD 7", to: "users:3" }), { key: "k1", ...v2 });
  ledger.run(setMetadata("users:4", { kind: "x" }), v1);
  ledger.run(setMetadata("users:5", {}), v2);
  ledger.run(setMetadata(1, { seen: "yes" }), v1);
  ledger.run(deleteMetadata("users:4", "tier"), v1);
  ledger.run(setMetadata("users:6", {}));
  ledger.run(insertSchema("v3", { chart: { users: { $id: {} } } }), v1);
  ledger.commit(revert(2), { schema: "v3", key: "k2" });
  ledger.commit(create(posting("world -> users:6", 1)));
  return ledger;
}

const VERSIONS = ["", "", "v1", "v2", "v1", "v2", "v1", "v1", "", "v1", "v3", ""];

describe("the log", () => {
  test("the log of a ledger with schemas shows which schema a write named, in single entries, ranges, lists and exports", () => {
    const ledger = variedLedger();
    const versionsOf = (entries: readonly { readonly schemaVersion?: string }[]) =>
      entries.map(({ schemaVersion = "" }) => schemaVersion);
    expect(versionsOf(ledger.logs())).toEqual(VERSIONS);
    expect(versionsOf(ledger.engine.reads.listLogs(ALL).data)).toEqual(VERSIONS);
    const lines = linesOf(exportOf(ledger));
    expect(versionsOf(lines.map((line) => JSON.parse(line) as object))).toEqual(VERSIONS);
    expect(lines[0]).not.toContain('"schemaVersion"');
    ledger.open();
    expect(versionsOf(ledger.logs())).toEqual(VERSIONS);
  });

  test("the log of a ledger with schemas has a schema with its version and date", () => {
    const ledger = new TestLedger();
    ledger.run(insertSchema("v1", { chart: { b: {}, a: { $x: {} } } }));
    const [entry] = ledger.logs();
    expect(entry).toEqual({
      id: 1,
      date: ledger.now,
      idempotencyKey: "",
      data: {
        type: "INSERTED_SCHEMA",
        schema: {
          version: "v1",
          createdAt: ledger.now,
          text: '{"chart":{"a":{"$x":{}},"b":{}}}',
        },
      },
    });
    expect(JSON.parse(exportOf(ledger))).toMatchObject({
      type: "INSERTED_SCHEMA",
      data: {
        schema: {
          chart: { a: { $x: {} }, b: {} },
          version: "v1",
          createdAt: formatTimestamp(ledger.now),
        },
      },
    });
  });

  test("the log of a ledger with schemas can be filtered by the type of schema entries", () => {
    const where = stringifyJson({ $match: { type: "INSERTED_SCHEMA" } });
    const { data } = variedLedger().engine.reads.listLogs({ ...ALL, where });
    expect(data.map(({ id }) => id)).toEqual([1, 2, 10]);
  });

  test("the log of a ledger with schemas has hashes of schemas as they were inserted, and not of what a schema has added", () => {
    const ledger = new SchemaLedger();
    ledger.run(template("pay", { amount: "USD 7", to: "users:3" }), v2);
    ledger.run(setMetadata("users:4", {}), v1);
    const { data } = ledger.engine.reads.listLogs(ALL);
    const date = (index: number): string => formatTimestamp(data[index]?.date ?? ledger.now);
    const chain = (index: number, type: string, said: string): string => {
      const text = `{"type":"${type}","data":${said},"date":"${date(index)}","idempotencyKey":"","id":0,"hash":null}`;
      const previous = index === 0 ? "" : `"${data[index - 1]?.hash}"\n`;
      return createHash("sha256").update(`${previous}${text}\n`).digest("base64");
    };
    const [first] = ledger.schemas();
    const open = first?.text.slice(0, -1) ?? "";
    expect(data[0]?.hash).toBe(
      chain(0, "INSERTED_SCHEMA", `{"schema":${open},"version":"v1","createdAt":"${date(0)}"}}`),
    );
    expect(data[2]?.hash).toBe(
      chain(
        2,
        "NEW_TRANSACTION",
        `{"transaction":{"postings":[{"source":"world","destination":"users:3","amount":7,"asset":"USD"}],"metadata":{"by":"template"},"timestamp":"${date(2)}","id":1,"reverted":false},"accountMetadata":{}}`,
      ),
    );
    expect(data[3]?.hash).toBe(
      chain(3, "SET_METADATA", '{"targetType":"ACCOUNT","targetId":"users:4","metadata":{}}'),
    );
  });
});

describe("an import", () => {
  const stateOf = (ledger: TestLedger) => ({
    log: exportOf(ledger),
    transactions: ledger.transactions(),
    accounts: ledger.engine.reads.listAccounts({ ...ALL, column: "address" }, BARE).data,
    schemas: ledger.schemas(),
  });

  test.each<Partial<Features>>([
    {},
    { HASH_LOGS: "DISABLED" },
    { MOVES_HISTORY: "OFF" },
    { ACCOUNT_METADATA_HISTORY: "DISABLED", TRANSACTION_METADATA_HISTORY: "DISABLED" },
  ])("an import makes the same schemas, accounts and metadata, strict or not: %j", (features) => {
    const ledger = variedLedger(features);
    for (const isStrict of [true, false]) {
      const schemas = {
        isStrict,
        report: () => expect.unreachable("an import reports no violations"),
      };
      const copy = copyOf(ledger, { settings: { schemas } });
      expect(stateOf(copy)).toEqual(stateOf(ledger));
      copy.open();
      expect(stateOf(copy)).toEqual(stateOf(ledger));
      expect(audited(copy).differences).toEqual([]);
    }
  });

  test("an import of a ledger with schemas may come entry by entry, with evictions, and goes on with the schemas", () => {
    const ledger = variedLedger();
    const copy = new SchemaLedgerCopy();
    for (const line of linesOf(exportOf(ledger))) {
      expect(importInto(copy, [line])).toEqual({ taken: 1 });
      copy.open();
    }
    copy.now = ledger.now;
    expect(stateOf(copy)).toEqual(stateOf(ledger));
    const pay = template("pay", { amount: "USD 7", to: "users:3" });
    expect(copy.run(pay, { key: "k1", ...v2 }).isReplay).toBe(true);
    expect(refusalTextOf(() => copy.run(insertSchema("v3", { chart: {} })))).toMatch(
      /^SCHEMA_ALREADY_EXISTS: /,
    );
    copy.run(setMetadata("users:9", {}), v1);
    expect(copy.account("users:9")?.metadata).toMatchObject({ tier: "basic" });
    expect(audited(copy).differences).toEqual([]);
  });

  test("an import of a ledger with schemas keeps the dates of schemas that differ from those of their entries", () => {
    const [line = ""] = linesOf(exportOf(variedLedger({ HASH_LOGS: "DISABLED" })));
    for (const createdAt of ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"]) {
      const copy = new TestLedger({ features: { HASH_LOGS: "DISABLED" } });
      const dated = changed(line, { "data.schema.createdAt": createdAt });
      expect(importInto(copy, [dated])).toEqual({ taken: 1 });
      copy.open();
      const [schema] = copy.schemas();
      expect(formatTimestamp(schema?.createdAt ?? copy.now)).toBe(createdAt);
      expect(copy.engine.reads.findSchema("v1")).toEqual(schema);
      expect(linesOf(exportOf(copy)).map((it) => JSON.parse(it) as object)).toEqual([
        JSON.parse(dated),
      ]);
      expect(audited(copy).differences).toEqual([]);
    }
  });

  test.each<[string, [number, Changes], string]>([
    [
      "an unknown version",
      [4, { schemaVersion: "v9" }],
      "importing log 4: schema version `v9` not found, latest available version is `v2`",
    ],
    [
      "a version that comes later",
      [4, { schemaVersion: "v3" }],
      "importing log 4: schema version `v3` not found, latest available version is `v2`",
    ],
    [
      "a version that is there",
      [10, { "data.schema.version": "v1" }],
      "importing log 10: schema version `v1` already exists",
    ],
  ])("an import is refused with %s, and can be continued", (_, [line, changes], message) => {
    const lines = linesOf(exportOf(variedLedger({ HASH_LOGS: "DISABLED" })));
    const copy = new TestLedger({ features: { HASH_LOGS: "DISABLED" } });
    const broken = lines.map((text, index) => (index === line - 1 ? changed(text, changes) : text));
    const { taken, failure } = importInto(copy, broken);
    expect(taken).toBe(line - 1);
    expect(failure).toMatchObject({ kind: "IMPORT", message: `importing logs: ${message}` });
    expect(audited(copy).differences).toEqual([]);
    expect(importInto(copy, lines.slice(line - 1))).toEqual({ taken: lines.length - line + 1 });
    expect(linesOf(exportOf(copy))).toEqual(lines);
  });

  test("an import of a ledger with schemas detects a changed schema by the hash chain, and stores nothing of it", () => {
    const [line = ""] = linesOf(exportOf(variedLedger()));
    const copy = new TestLedger();
    const before = copy.dump();
    const { taken, failure } = importInto(copy, [
      changed(line, { "data.schema.chart.users.$id.wallet": null }),
    ]);
    expect(taken).toBe(0);
    expect(failure?.message).toMatch(/^importing logs: importing log 1: invalid hash/);
    expect(copy.dump()).toBe(before);
    expect(importInto(copy, [line])).toEqual({ taken: 1 });
  });
});

/** A strict ledger without schemas of its own. */
class SchemaLedgerCopy extends TestLedger {
  constructor() {
    super({ settings: { schemas: { isStrict: true, report: () => undefined } } });
  }
}

describe("metadata of the past", () => {
  const metadataAt = (ledger: TestLedger, address: string, pit: Timestamp) =>
    ledger.engine.reads.findAccount(address, { ...BARE, pit })?.metadata;

  test.each([
    ["a posting", create(posting("world -> users:1", 5)), { tier: "basic" }],
    [
      "metadata of a transaction",
      create(posting("world -> bank:fees", 5), { accountMetadata: { "users:1": { k: "v" } } }),
      { tier: "basic", k: "v" },
    ],
    ["metadata", setMetadata("users:1", { tier: "gold" }), { tier: "gold" }],
  ])("past metadata has the defaults of an account that %s has made", (_, command, metadata) => {
    const ledger = new SchemaLedger();
    const before = ledger.now;
    ledger.run(command, v1);
    const made = ledger.now;
    expect(ledger.account("users:1")?.metadata).toMatchObject(metadata);
    ledger.run(setMetadata("users:1", { tier: "late", kind: "late" }), v1);
    const changedAt = ledger.now;
    ledger.run(setMetadata("users:1", { tier: "basic" }), v1);
    ledger.open();
    expect(metadataAt(ledger, "users:1", before)).toBeUndefined();
    expect(metadataAt(ledger, "users:1", made)).toMatchObject({ kind: "user", ...metadata });
    expect(metadataAt(ledger, "users:1", changedAt)).toMatchObject({ tier: "late", kind: "late" });
    expect(ledger.account("users:1")?.metadata).toMatchObject({ tier: "basic", kind: "late" });
    expect(audited(ledger).differences).toEqual([]);
  });

  test("past metadata is found by filters, and so is current metadata", () => {
    const ledger = new SchemaLedger();
    ledger.commit(create(posting("world -> users:1", 5)), v1);
    ledger.commit(create(posting("world -> users:2", 5)), v1);
    const made = ledger.now;
    ledger.run(setMetadata("users:1", { tier: "gold" }), v1);
    ledger.run(deleteMetadata("users:2", "kind"), v1);
    const find = (key: string, value: string, pit?: Timestamp) =>
      ledger.engine.reads
        .listAccounts(
          {
            ...ALL,
            column: "address",
            where: stringifyJson({ $match: { [`metadata[${key}]`]: value } }),
            ...(pit === undefined ? {} : { pit }),
          },
          BARE,
        )
        .data.map(({ address }) => address);
    expect(find("tier", "basic")).toEqual(["users:2"]);
    expect(find("tier", "basic", made)).toEqual(["users:1", "users:2"]);
    expect(find("tier", "gold", made)).toEqual([]);
    expect(find("kind", "user")).toEqual(["users:1"]);
    expect(find("__proto__", "p")).toEqual(["users:1", "users:2"]);
  });

  test("past metadata is the current metadata if no history is kept", () => {
    const ledger = new SchemaLedger({ features: { ACCOUNT_METADATA_HISTORY: "DISABLED" } });
    ledger.commit(create(posting("world -> users:1", 5)), v1);
    const made = ledger.now;
    ledger.run(setMetadata("users:1", { tier: "gold" }), v1);
    expect(metadataAt(ledger, "users:1", made)).toMatchObject({ tier: "gold", kind: "user" });
    expect(audited(ledger).differences).toEqual([]);
  });
});
