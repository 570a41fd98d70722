import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  create,
  insertSchema,
  posting,
  script,
  template,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import { exportOf, linesOf } from "#test/support/ledger-engine/logs.ts";
import {
  ONE_LINE,
  PAY,
  refusalTextOf,
  SchemaLedger,
} from "#test/support/ledger-engine/schema-ledgers.ts";

const v1 = { schema: "v1" };
const v2 = { schema: "v2" };
const pay = template("pay", { amount: "USD 5", to: "users:1" });

/** The input hashes of all entries, read from an export. */
const hashesOf = (ledger: SchemaLedger): string[] =>
  linesOf(exportOf(ledger)).map(
    (line) => (JSON.parse(line) as { idempotencyHash: string }).idempotencyHash,
  );

const hashOf = (text: string): string =>
  `${createHash("sha256").update(`${text}\n`).digest("base64url")}=`;

describe("a transaction by a template", () => {
  test("a transaction by a template is what its script makes of the variables, and names the template", () => {
    for (const isStrict of [true, false]) {
      const ledger = new SchemaLedger({ isStrict });
      const made = ledger.commit(
        template("pay", pay.script.variables, { reference: "r", metadata: { k: "v" } }),
        v2,
      );
      expect(made).toMatchObject({
        postings: [posting("world -> users:1", 5)],
        metadata: { by: "template", k: "v" },
        reference: "r",
        template: "pay",
      });
      ledger.open();
      expect(ledger.transaction(made.id)).toEqual(made);
      expect(ledger.transactions()).toEqual([made]);
      expect(ledger.logs().at(-1)).toMatchObject({
        schemaVersion: "v2",
        data: { type: "NEW_TRANSACTION", transaction: { template: "pay" } },
      });
      expect(ledger.account("users:1")?.metadata).toMatchObject({ tier: "basic" });
      expect(ledger.told).toEqual([]);
      expect(audited(ledger).differences).toEqual([]);
    }
  });

  test.each([
    [{ amount: "USD 5" }, /^COMPILATION_FAILED: .*missing variable \$to\n/],
    [
      { amount: "USD 5", to: "users:1", more: "x" },
      /^COMPILATION_FAILED: .*extraneous variable \$more$/,
    ],
    [{ amount: "5", to: "users:1" }, /^COMPILATION_FAILED: .*\$amount of type <?monetary/],
    [{ amount: "USD 5", to: "a b" }, /^COMPILATION_FAILED: .*\$to of type <?account/],
    [{ amount: "USD -5", to: "users:1" }, /^COMPILATION_FAILED: /],
    [{ amount: "USD 5", to: "shops:1" }, /^VALIDATION: schema version \[v2\]: account starting/],
  ])("a transaction by a template is refused with the variables %j", (variables, refusal) => {
    const ledger = new SchemaLedger();
    const before = ledger.dump();
    expect(refusalTextOf(() => ledger.commit(template("pay", variables), v2))).toMatch(refusal);
    expect(ledger.dump()).toBe(before);
  });

  test("a transaction by a template keeps integers of any size", () => {
    const ledger = new SchemaLedger();
    const amount = 10n ** 40n + 1n;
    const made = ledger.commit(template("pay", { amount: `USD ${amount}`, to: "users:1" }), v2);
    expect(made.postings[0]?.amount).toBe(amount);
  });

  test("a transaction by a template runs in the runtime of the request, else of the template, else of the deployment", () => {
    const ledger = new SchemaLedger();
    const runtime = "experimental-interpreter";
    expect(ledger.commit(template("interpreted"), v2).template).toBe("interpreted");
    const machine = template("interpreted", {}, { runtime: "machine" });
    expect(refusalTextOf(() => ledger.commit(machine, v2))).toMatch(/^COMPILATION_FAILED: /);
    const late = template("pay", { amount: "USD -5", to: "users:1" }, { runtime });
    expect(refusalTextOf(() => ledger.commit(late, v2))).toMatch(/^INTERPRETER_RUNTIME: /);
    const settings = { scripts: { runtime, featureFlags: new Set<string>() } } as const;
    const interpreting = new SchemaLedger({ settings });
    const missing = template("pay", { amount: "USD 5" });
    expect(refusalTextOf(() => interpreting.commit(missing, v2))).toMatch(/^INTERPRETER_RUNTIME: /);
    expect(interpreting.commit(pay, v2).template).toBe("pay");
  });

  test("a transaction by a template uses the version that the write names", () => {
    const ledger = new SchemaLedger();
    const transactions = { pay: { script: PAY.replaceAll("@world", "@bank:main") } };
    const chart = { bank: { main: {} }, users: { $id: {} } };
    ledger.run(insertSchema("v3", { chart, transactions }));
    expect(refusalTextOf(() => ledger.commit(pay, { schema: "v3" }))).toMatch(
      /^INSUFFICIENT_FUND: /,
    );
    expect(ledger.commit(pay, v2).postings[0]?.source).toBe("world");
  });
});

describe("a schema with templates", () => {
  const UNUSED = {
    strict: "VALIDATION: schema version [v2]: transactions on this ledger must use a template",
    audit: "VALIDATION: schema version [v2]: failed to find transaction template ``",
  };

  test.each([
    ["postings", create(posting("world -> users:1", 5))],
    ["a script", script(PAY, { variables: pay.script.variables })],
  ])("a schema with templates refuses a transaction of %s in both modes", (_, command) => {
    for (const isStrict of [true, false]) {
      const ledger = new SchemaLedger({ isStrict });
      const before = ledger.dump();
      const run = () => ledger.commit(command, v2);
      expect(refusalTextOf(run)).toBe(isStrict ? UNUSED.strict : UNUSED.audit);
      expect(ledger.dump()).toBe(before);
      expect(ledger.told).toEqual([]);
      expect(ledger.commit(command, v1).id).toBe(1);
    }
  });

  test("a schema with templates has no others", () => {
    for (const isStrict of [true, false]) {
      const ledger = new SchemaLedger({ isStrict });
      for (const name of ["other", "__proto__", "Pay", "constructor"]) {
        expect(refusalTextOf(() => ledger.commit(template(name), v2))).toBe(
          `VALIDATION: schema version [v2]: failed to find transaction template \`${name}\``,
        );
      }
    }
  });
});

test("a template is refused if the schema has none, and if no schema is named", () => {
  const what = "can only use templates on a schema with transaction definitions";
  for (const isStrict of [true, false]) {
    const ledger = new SchemaLedger({ isStrict });
    expect(refusalTextOf(() => ledger.commit(pay, v1))).toBe(
      `VALIDATION: schema version [v1]: ${what}`,
    );
    expect(refusalTextOf(() => ledger.commit(pay))).toMatch(
      isStrict ? /^SCHEMA_NOT_SPECIFIED: / : new RegExp(`^VALIDATION: ${what}$`),
    );
    expect(ledger.told).toEqual([]);
  }
});

describe("a key", () => {
  test("an idempotency key repeats a templated write, whatever schema is named then", () => {
    const ledger = new SchemaLedger();
    const first = ledger.run(pay, { key: "k", ...v2 });
    for (const schema of ["v2", "v1", "v9", ""]) {
      expect(ledger.run(pay, { key: "k", schema })).toEqual({ ...first, isReplay: true });
    }
    expect(ledger.logs()).toHaveLength(3);
  });

  test("an idempotency key distinguishes templated writes by names, variables and runtimes, and from their scripts", () => {
    const ledger = new SchemaLedger();
    ledger.run(pay, { key: "k", ...v2 });
    const { variables } = pay.script;
    const others = [
      template("interpreted", variables),
      template("pay", { ...variables, amount: "USD 6" }),
      template("pay", variables, { runtime: "machine" }),
      script(PAY, { variables }),
    ];
    for (const other of others) {
      expect(refusalTextOf(() => ledger.run(other, { key: "k", ...v2 }))).toBe(
        "VALIDATION: the idempotency key 'k' was used before with another request",
      );
    }
  });

  test("an idempotency key is free again if the schema has refused the write", () => {
    const ledger = new SchemaLedger();
    const odd = template("pay", { amount: "USD 5", to: "shops:1" });
    expect(refusalTextOf(() => ledger.run(odd, { key: "k", ...v2 }))).toMatch(/^VALIDATION/);
    expect(ledger.run(pay, { key: "k", ...v2 }).isReplay).toBe(false);
  });

  test("an idempotency key repeats the insertion of a schema, and no other", () => {
    const ledger = new SchemaLedger();
    const insertion = insertSchema("v3", { chart: { a: {}, b: {} } });
    const first = ledger.run(insertion, { key: "k" });
    expect(ledger.run(insertSchema("v3", { chart: { b: {}, a: {} } }), { key: "k" })).toEqual({
      ...first,
      isReplay: true,
    });
    for (const other of [insertSchema("v4", { chart: {} }), insertSchema("v3", { chart: {} })]) {
      expect(refusalTextOf(() => ledger.run(other, { key: "k" }))).toMatch(/^VALIDATION: .*key/);
    }
    expect(refusalTextOf(() => ledger.run(insertion))).toBe(
      "SCHEMA_ALREADY_EXISTS: schema version `v3` already exists",
    );
  });
});

describe("the hash of the inputs", () => {
  test("the hash of the inputs of a templated write is over its name and variables", () => {
    const ledger = new SchemaLedger();
    ledger.run(pay, v2);
    ledger.run(template("interpreted", {}, { runtime: "experimental-interpreter" }), v2);
    const rest =
      '"timestamp":"0001-01-01T00:00:00Z","metadata":null,"reference":"","AccountMetadata":null,"Runtime":';
    expect(hashesOf(ledger).slice(2)).toEqual([
      hashOf(`{"template":"pay","vars":{"amount":"USD 5","to":"users:1"},${rest}""}`),
      hashOf(`{"template":"interpreted","vars":{},${rest}"experimental-interpreter"}`),
    ]);
  });

  test("the hash of the inputs of an insertion is over the version and the schema, with a key or without", () => {
    const ledger = new SchemaLedger();
    const chart = { b: {}, a: { ".metadata": { k: { default: "<v>" } } } };
    ledger.run(insertSchema("v<3>", { chart }), { key: "k" });
    ledger.run(insertSchema("v4", { chart: null, transactions: {}, queries: null }), v1);
    expect(hashesOf(ledger).slice(2)).toEqual([
      hashOf(
        String.raw`{"Version":"v\u003c3\u003e","Data":{"chart":{"a":{".metadata":{"k":{"default":"\u003cv\u003e"}}},"b":{}}}}`,
      ),
      hashOf('{"Version":"v4","Data":{"chart":{}}}'),
    ]);
  });

  test("the hash of the inputs is the same whatever schema is named", () => {
    const ledger = new SchemaLedger({ isStrict: false });
    for (const schema of ["", "v1"]) {
      ledger.run(create(posting("world -> users:1", 5)), { schema });
      ledger.run(script(ONE_LINE, { runtime: "experimental-interpreter" }), { schema });
    }
    const [, , ...hashes] = hashesOf(ledger);
    expect(hashes.slice(0, 2)).toEqual(hashes.slice(2));
  });
});
