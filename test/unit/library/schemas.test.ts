import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Ledger,
  type LogEntry,
  type NewSchema,
  openLedger,
  type OpenOptions,
} from "#library/index.ts";
import { errorOf, ledgerInMemory, pay, refusalOf } from "#test/support/library/library.ts";

const DEPOSIT = [
  "vars {",
  "  monetary $amount",
  "  account $to",
  "}",
  "send $amount (",
  "  source = @world",
  "  destination = $to",
  ")",
].join("\n");

const CHART = {
  world: {},
  users: { $id: { ".pattern": "^[0-9]+$", ".metadata": { tier: { default: "basic" } } } },
};
const QUERIES: NewSchema["queries"] = {
  rich: {
    resource: "accounts",
    vars: { least: "int", asset: { type: "string", default: "USD/2" } },
    body: { $and: [{ $gte: { "balance[USD/2]": "${least}" } }, { $match: { address: "users:" } }] },
  },
  from: {
    description: "What an account has sent",
    resource: "transactions",
    params: { sort: "timestamp:asc", pageSize: 1, expand: ["volumes"] },
    vars: { who: { type: "string", default: "world" } },
    body: { $match: { source: "$who" } },
  },
  moved: { resource: "volumes", params: { groupBy: 1 } },
  changes: { resource: "logs", body: { $match: { type: "SET_METADATA" } } },
};

/** A ledger with the schemas `v1`, which has a chart and queries, and `v2`, which has a template. */
function bank(options: OpenOptions = {}): Ledger {
  const ledger = ledgerInMemory(options);
  ledger.insertSchema("v1", { chart: CHART, queries: QUERIES });
  ledger.insertSchema("v2", { chart: CHART, transactions: { deposit: { script: DEPOSIT } } });
  return ledger;
}

const v1 = { schemaVersion: "v1" };
const v2 = { schemaVersion: "v2" };

describe("a schema", () => {
  test("a schema is read as it was inserted, with its date", () => {
    const ledger = bank();
    expect(ledger.getSchema("v2")).toEqual({
      version: "v2",
      createdAt: "2026-03-01T10:00:01Z",
      chart: CHART,
      transactions: { deposit: { description: "", script: DEPOSIT } },
    });
    expect(ledger.getSchema("v1").queries?.["rich"]?.vars).toEqual({
      least: { type: "int" },
      asset: { type: "string", default: "USD/2" },
    });
    expect(refusalOf(() => ledger.getSchema("v3"))).toBe(
      "NOT_FOUND: schema version 'v3' not found",
    );
  });

  test("a schema is listed, the newest first unless the order is another", () => {
    const ledger = ledgerInMemory();
    const versions = Array.from({ length: 120 }, (_, index) => `v${index}`);
    for (const version of versions) ledger.insertSchema(version, { chart: {} });
    const listed = (...options: Parameters<Ledger["schemas"]>) =>
      [...ledger.schemas(...options)].map(({ version }) => version);
    expect(listed()).toEqual(versions.toReversed());
    expect(listed({ order: "asc" })).toEqual(versions);
    expect(listed({ where: { $like: { version: "v11_" } }, order: "asc" })).toEqual(
      versions.slice(110),
    );
    expect(listed({ pit: "2026-03-01T10:00:01Z" })).toEqual(["v1", "v0"]);
  });

  test("a schema is in the log, and each write that names it shows this", () => {
    const ledger = bank();
    ledger.addAccountMetadata("users:1", { k: "v" }, v1);
    const [first, , third] = ledger.logs();
    expect(first).toMatchObject({
      id: 1,
      date: "2026-03-01T10:00:00Z",
      type: "INSERTED_SCHEMA",
      data: { schema: { version: "v1", createdAt: "2026-03-01T10:00:00Z", chart: CHART } },
    });
    expect(first).not.toHaveProperty("schemaVersion");
    expect(third).toMatchObject({ type: "SET_METADATA", schemaVersion: "v1" });
  });

  test("a schema never changes, and a repeated insertion under its key does nothing", () => {
    const ledger = ledgerInMemory();
    const insert = (idempotencyKey?: string) =>
      ledger.insertSchema("v1", { chart: CHART }, { idempotencyKey });
    insert("k");
    insert("k");
    expect(refusalOf(insert)).toBe("SCHEMA_ALREADY_EXISTS: schema version `v1` already exists");
    expect([...ledger.logs()]).toHaveLength(1);
  });

  test("a schema is kept in the file", () => {
    const file = join(mkdtempSync(join(tmpdir(), "ledger-")), "ledger.sqlite");
    const first = openLedger({ file });
    first.insertSchema("v1", { chart: CHART });
    first.close();
    const second = openLedger({ file, schemaEnforcement: "strict" });
    expect(second.getSchema("v1").chart).toEqual(CHART);
    expect(refusalOf(() => second.addAccountMetadata("users:1", {}))).toMatch(
      /^SCHEMA_NOT_SPECIFIED: /,
    );
    second.close();
  });

  test.each([
    ["an empty version", ["", { chart: {} }], /^the schema version must not be empty$/],
    ["no chart", ["v1", {}], /^invalid schema: missing chart of accounts$/],
    ["no object", ["v1", "x"], /^invalid schema: expected an object$/],
    ["nothing", ["v1", undefined], /^invalid schema: expected an object$/],
    ["a number as version", [1, { chart: {} }], /^schema version: .*expected string/],
    [
      "a map as chart",
      ["v1", { chart: new Map() }],
      /^schema: expected a plain object, found a collection$/,
    ],
    [
      "an invalid chart",
      ["v1", { chart: { a: { ".pattern": "x" } } }],
      /cannot have a pattern on a fixed segment/,
    ],
  ])("a schema is refused with %s", (_, input, message) => {
    const ledger = ledgerInMemory();
    const insert = () => ledger.insertSchema(...(input as [string, NewSchema])); // a value that plain JavaScript can pass
    expect(refusalOf(insert)).toMatch(/^VALIDATION: /);
    expect(errorOf(insert).message).toMatch(message);
    expect([...ledger.logs()]).toEqual([]);
  });

  test("a schema has scripts that the runtime of the ledger can read", () => {
    const script = "send [USD 1] (source = @world destination = @a)";
    const insert = (options: OpenOptions) =>
      ledgerInMemory(options).insertSchema("v1", { chart: {}, transactions: { t: { script } } });
    const { message, details } = errorOf(() => insert({}));
    expect(message).toMatch(/^invalid schema: invalid template t: /);
    expect(details).toMatch(/^1:/);
    expect(() => insert({ runtime: "experimental-interpreter" })).not.toThrow();
  });
});

describe("a strict ledger", () => {
  test("a strict ledger refuses what the chart does not allow, naming the account, and stores nothing of it", () => {
    const ledger = bank({ schemaEnforcement: "strict" });
    const before = [...ledger.logs()];
    const postings = [pay("world -> users:x", 5)];
    expect(refusalOf(() => ledger.createTransaction({ postings }, v1))).toBe(
      "VALIDATION: schema version [v1]: segment `x` defined by the chart of accounts at `users` does not match the pattern",
    );
    expect(refusalOf(() => ledger.createTransaction({ postings }))).toBe(
      "SCHEMA_NOT_SPECIFIED: a schema version must be specified for this ledger, latest available version is v2",
    );
    expect([...ledger.logs()]).toEqual(before);
  });

  test("a strict ledger gives new accounts their default metadata", () => {
    const ledger = bank({ schemaEnforcement: "strict" });
    ledger.createTransaction({ postings: [pay("world -> users:1", 5)] }, v1);
    expect(ledger.getAccount("users:1").metadata).toEqual({ tier: "basic" });
  });

  test("a strict ledger makes transactions by the name of a template", () => {
    const ledger = bank({ schemaEnforcement: "strict" });
    const script = { template: "deposit", vars: { amount: "USD/2 500", to: "users:1" } };
    const made = ledger.createTransaction({ script }, v2);
    expect(made).toMatchObject({ template: "deposit", postings: [pay("world -> users:1", 500n)] });
    expect(ledger.getTransaction(made.id).template).toBe("deposit");
    const postings = [pay("world -> users:1", 5)];
    expect(refusalOf(() => ledger.createTransaction({ postings }, v2))).toBe(
      "VALIDATION: schema version [v2]: transactions on this ledger must use a template",
    );
  });

  test("a strict ledger requires a version for reverts, metadata and bulks, too", () => {
    const ledger = bank({ schemaEnforcement: "strict" });
    ledger.createTransaction({ postings: [pay("world -> users:1", 5)] }, v1);
    const writes: [string, (options?: { schemaVersion: string }) => unknown][] = [
      ["add account metadata", (options) => ledger.addAccountMetadata("a", { k: "v" }, options)],
      ["delete account metadata", (options) => ledger.deleteAccountMetadata("a", "k", options)],
      ["add metadata", (options) => ledger.addTransactionMetadata(1, { k: "v" }, options)],
      ["delete metadata", (options) => ledger.deleteTransactionMetadata(1, "k", options)],
      ["revert", (options) => ledger.revertTransaction(1, options)],
    ];
    for (const [name, write] of writes) {
      expect(`${name}: ${refusalOf(write)}`).toBe(
        `${name}: SCHEMA_NOT_SPECIFIED: a schema version must be specified for this ledger, latest available version is v2`,
      );
      expect(`${name}: ${refusalOf(() => write({ schemaVersion: "v9" }))}`).toBe(
        `${name}: NOT_FOUND: schema version \`v9\` not found, latest available version is \`v2\``,
      );
      write(v1);
    }
    const data = { targetType: "ACCOUNT", targetId: "a", metadata: {} } as const;
    const elements = [{ action: "ADD_METADATA", data }] as const;
    expect(ledger.bulk(elements)).toMatchObject([{ error: { code: "SCHEMA_NOT_SPECIFIED" } }]);
    expect(ledger.bulk(elements, v1)).toMatchObject([{ status: "done" }]);
    expect([...ledger.logs()].at(-1)).toMatchObject({ schemaVersion: "v1" });
  });

  test("a strict ledger is strict only if that is asked for", () => {
    const options = { schemaEnforcement: "loose" } as unknown as OpenOptions; // a value that plain JavaScript can pass
    expect(refusalOf(() => openLedger(options))).toMatch(/^VALIDATION: schemaEnforcement: /);
  });
});

describe("a ledger that only audits", () => {
  const ODD =
    "schema version [v1]: account starting with `shops` is not defined in the chart of accounts";
  const UNNAMED =
    "a schema version must be specified for this ledger, latest available version is v2";

  function auditing(): { ledger: Ledger; told: string[] } {
    const told: string[] = [];
    return { ledger: bank({ onSchemaViolation: (violation) => told.push(violation) }), told };
  }

  test("a ledger that only audits accepts everything, and reports violations of the schema", () => {
    const { ledger, told } = auditing();
    ledger.createTransaction({ postings: [pay("world -> users:1", 5)] }, v1);
    expect(told).toEqual([]);
    ledger.createTransaction({ postings: [pay("world -> shops:1", 5)] }, v1);
    ledger.createTransaction({ postings: [pay("world -> shops:1", 5)] });
    ledger.createTransaction({ postings: [pay("world -> shops:1", 5)] }, { ...v1, dryRun: true });
    expect(told).toEqual([ODD, UNNAMED, ODD]);
    expect(ledger.balance("shops:1", "USD/2")).toBe(10n);
  });

  test("a ledger that only audits reports nothing about what it refuses or undoes", () => {
    const { ledger, told } = auditing();
    expect(refusalOf(() => ledger.createTransaction({ postings: [pay("a -> b", 5)] }))).toMatch(
      /^INSUFFICIENT_FUND: /,
    );
    const elements = ["world -> shops:1", "shops:2 -> world"].map((way) => ({
      action: "CREATE_TRANSACTION" as const,
      data: { postings: [pay(way, 5)] },
    }));
    ledger.bulk(elements, { ...v1, atomic: true });
    expect(told).toEqual([]);
    ledger.bulk(elements, v1);
    expect(told).toEqual([ODD]);
  });

  test("a ledger that only audits may be written to by the callback that it reports to", () => {
    const ledger = bank({
      onSchemaViolation: (why) => ledger.addTransactionMetadata(1, { why }, v1),
    });
    ledger.createTransaction({ postings: [pay("world -> shops:1", 5)] }, v1);
    expect(ledger.getTransaction(1).metadata).toEqual({ why: ODD });
  });

  test("a ledger that only audits needs no callback", () => {
    const ledger = bank();
    ledger.createTransaction({ postings: [pay("world -> shops:1", 5)] }, v1);
    expect(ledger.balance("shops:1", "USD/2")).toBe(5n);
  });
});

describe("a query of a schema", () => {
  function shop(): Ledger {
    const ledger = bank();
    const send = (way: string, amount: bigint, timestamp: string) =>
      ledger.createTransaction({ postings: [pay(way, amount)], timestamp }, v1);
    send("world -> users:1", 2n ** 60n, "2026-02-02T00:00:00Z");
    send("world -> users:2", 2n ** 60n + 1n, "2026-02-01T00:00:00Z");
    send("users:1 -> users:2", 5n, "2026-02-03T00:00:00Z");
    ledger.addAccountMetadata("users:1", { k: "v" }, v1);
    return ledger;
  }

  /** The items that a query lists, as short texts. */
  function listOf(...[id, run]: [id: string, run?: Parameters<Ledger["runQuery"]>[2]]) {
    const found = shop().runQuery("v1", id, run);
    switch (found.resource) {
      case "accounts":
        return [...found.items].map(({ address }) => address);
      case "volumes":
        return [...found.items].map(({ account, input }) => `${account} ${input}`);
      default:
        return [...found.items].map(({ id: number }) => number);
    }
  }

  test("a query of a schema lists accounts, with exact integers", () => {
    expect(listOf("rich", { vars: { least: 2n ** 60n + 1n } })).toEqual(["users:2"]);
    expect(listOf("rich", { vars: { least: 0 } })).toEqual(["users:1", "users:2"]);
  });

  test("a query of a schema lists all transactions, sorted and within a period", () => {
    expect(listOf("from")).toEqual([2, 1]);
    expect(listOf("from", { vars: { who: "users:1" } })).toEqual([3]);
    expect(listOf("from", { params: { sort: "id" } })).toEqual([2, 1]);
    expect(listOf("from", { params: { sort: "insertedAt:asc" } })).toEqual([1, 2]);
    expect(listOf("from", { params: { endTime: new Date("2026-02-01") } })).toEqual([2]);
  });

  test("a query of a schema lists volumes by groups, and logs", () => {
    expect(listOf("moved")).toEqual([`users ${2n ** 61n + 6n}`, "world 0"]);
    expect(listOf("moved", { params: { groupBy: 0, startTime: "2026-02-03T00:00:00Z" } })).toEqual([
      "users:1 0",
      "users:2 5",
    ]);
    expect(listOf("changes")).toEqual([6]);
  });

  test("a query of a schema lists logs that are the caller's own", () => {
    const ledger = shop();
    const metadataOf = () => {
      const [entry] = ledger.runQuery("v1", "changes").items as Iterable<LogEntry>; // the query lists log entries
      return entry?.type === "SET_METADATA" ? entry.data.metadata : undefined;
    };
    Object.assign(metadataOf() ?? {}, { k: "changed" });
    expect(metadataOf()).toEqual({ k: "v" });
  });

  test.each<[Parameters<Ledger["runQuery"]>, string]>([
    [["v9", "rich"], "schema version [v9]: failed to find schema: not found"],
    [["v1", "poor"], "schema version [v1]: unknown query template: poor"],
    [
      ["v1", "rich"],
      "failed to resolve query template: invalid filter on key balance[USD/2]: missing variable: least",
    ],
    [
      ["v1", "rich", { vars: { least: "5" } }],
      "failed to resolve query template: invalid value `5` for type `int`: value doesn't match expected type",
    ],
    [
      ["v1", "from", { params: { sort: "size" } }],
      "failed to resolve query template: invalid sort column `size`",
    ],
  ])("the query %j of a schema is refused", (input, message) => {
    expect(refusalOf(() => shop().runQuery(...input))).toBe(`VALIDATION: ${message}`);
  });
});
