import { describe, expect, test } from "vitest";
import type { Transaction } from "#ledger-engine/rules/types.ts";
import type { Runtime } from "#numscript";
import { present } from "#platform/assert.ts";
import {
  create,
  posting,
  refusalOf,
  script,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

const waysOf = ({ postings }: Transaction): string[] =>
  postings.map(
    ({ source, destination, asset, amount }) => `${source}>${destination} ${asset} ${amount}`,
  );

const settingsFor = (runtime: Runtime, ...featureFlags: string[]) => ({
  settings: { scripts: { runtime, featureFlags: new Set(featureFlags) } },
});

const send = (amount: string, source: string, destination: string): string =>
  `send ${amount} (\n  source = ${source}\n  destination = ${destination}\n)\n`;

describe("the runtime of a script", () => {
  const oneLine = "send [USD 1] (source = @world destination = @a)";

  test("the runtime of a script is the machine, unless the deployment says otherwise", () => {
    expect(refusalOf(() => new TestLedger().commit(script(oneLine)))).toBe("COMPILATION_FAILED");
    const ledger = new TestLedger(settingsFor("experimental-interpreter"));
    expect(waysOf(ledger.commit(script(oneLine)))).toEqual(["world>a USD 1"]);
  });

  test("the runtime of a script is the one that the request names, whatever the deployment says", () => {
    const ledger = new TestLedger(settingsFor("experimental-interpreter"));
    const named = () => ledger.commit(script(oneLine, { runtime: "machine" }));
    expect(refusalOf(named)).toBe("COMPILATION_FAILED");
    // The cache holds the compiled forms of both runtimes for one text.
    expect(waysOf(ledger.commit(script(oneLine)))).toEqual(["world>a USD 1"]);
    expect(refusalOf(named)).toBe("COMPILATION_FAILED");
  });

  test("the runtime of a script has the feature flags of the deployment", () => {
    const oneOf = "send [USD 1] (source = oneof { @b @world } destination = @a)";
    const runtime = "experimental-interpreter";
    expect(refusalOf(() => new TestLedger().commit(script(oneOf, { runtime })))).toBe(
      "INTERPRETER_RUNTIME",
    );
    const ledger = new TestLedger(settingsFor(runtime, "experimental-oneof"));
    expect(waysOf(ledger.commit(script(oneOf)))).toEqual(["world>a USD 1"]);
  });
});

describe("a script reads the ledger as it is when its postings are applied", () => {
  test("a script reads the ledger as it is when its postings are applied, again and again, and after an eviction", () => {
    const ledger = new TestLedger();
    const all = script(send("[USD *]", "@a", "@b"));
    ledger.commit(create(posting("world -> a", 5)));
    expect(waysOf(ledger.commit(all))).toEqual(["a>b USD 5"]);
    expect(waysOf(ledger.commit(all))).toEqual(["a>b USD 0"]);
    ledger.commit(create(posting("world -> a", 7)));
    ledger.open();
    expect(waysOf(ledger.commit(all))).toEqual(["a>b USD 7"]);
  });

  test("a script in a bulk reads what earlier elements have done to balances and metadata", () => {
    const ledger = new TestLedger();
    const pay = script(
      `vars {\n  account $to = meta(@a, "to")\n}\n${send("[USD *]", "@a", "$to")}`,
    );
    const results = ledger.bulk(
      [pay, create(posting("world -> a", 5), { accountMetadata: { a: { to: "b" } } }), pay, pay],
      { atomic: false, continueOnFailure: true },
    );
    expect(
      results.map((result) =>
        typeof result === "string"
          ? result
          : waysOf(present(result.transaction, "a script makes a transaction")),
      ),
    ).toEqual(["NOT_FOUND", ["world>a USD 5"], ["a>b USD 5"], ["a>b USD 0"]]);
  });

  test("a script reads the ledger as it is then in all precisions of an asset, to convert between them", () => {
    const ledger = new TestLedger(
      settingsFor("experimental-interpreter", "experimental-asset-scaling"),
    );
    ledger.commit(
      create([
        posting("world -> a", 99, "EUR"),
        posting("world -> a", 1, "EUR/2"),
        posting("world -> a", 50, "EURO/2"),
      ]),
    );
    const scaled = script(send("[EUR/2 400]", "@a with scaling through @swap", "@x"));
    expect(waysOf(ledger.commit(scaled))).toEqual([
      "a>swap EUR 4",
      "swap>a EUR/2 400",
      "a>x EUR/2 400",
    ]);
  });
});

test("the scripts of a bulk may take a limited amount of work together, else nothing is kept", () => {
  const ledger = new TestLedger();
  const divide = `set_tx_meta("k", $n/$m)`;
  const plain = `vars { number $n number $m }\n${send("[USD 1]", "@world", "@a")}${`${divide}\n`.repeat(600)}`;
  const [n, m] = ["9".repeat(498), "8".repeat(499)];
  const heavy = script(plain, { variables: { n, m }, runtime: "experimental-interpreter" });
  expect(refusalOf(() => ledger.bulk(Array.from({ length: 20 }, () => heavy)))).toBe(
    "BULK_SIZE_EXCEEDED",
  );
  expect(ledger.engine.lastLogId).toBe(0);
  ledger.commit(heavy);
  expect(ledger.logs()).toHaveLength(1);
});

describe("what a script makes", () => {
  test("a transaction of a script cannot be larger than one of a request", () => {
    const ledger = new TestLedger();
    const long = `@${"a".repeat(257)}`;
    expect(refusalOf(() => ledger.commit(script(send("[USD 1]", "@world", long))))).toBe(
      "VALIDATION",
    );
    const asset = "A".repeat(65);
    expect(refusalOf(() => ledger.commit(script(send(`[${asset} 1]`, "@world", "@a"))))).toBe(
      "VALIDATION",
    );
    const nines = "9".repeat(1000);
    const sum = script(send(`[USD ${nines}] + [USD ${nines}]`, "@world", "@a"));
    expect(refusalOf(() => ledger.commit(sum))).toBe("VALIDATION");
    const value = "x".repeat(70_000);
    const metadata = script(`${send("[USD 1]", "@world", "@a")}set_tx_meta("k", "${value}")\n`);
    expect(refusalOf(() => ledger.commit(metadata))).toBe("VALIDATION");
    expect(ledger.engine.lastLogId).toBe(0);
  });

  test("a posting of a script may be in any asset that the machine can write, as on the reference server", () => {
    const ledger = new TestLedger();
    expect(waysOf(ledger.commit(script(send("[A//2 1]", "@world", "@a"))))).toEqual([
      "world>a A//2 1",
    ]);
  });

  test("a transaction of a script may have metadata keys of any name, even those of inherited properties", () => {
    const ledger = new TestLedger();
    const plain = `${send("[USD 1]", "@world", "@__proto__")}set_tx_meta("__proto__", "x")\nset_account_meta(@__proto__, "constructor", 1)\n`;
    const transaction = ledger.commit(script(plain));
    expect(Object.entries(transaction.metadata)).toEqual([["__proto__", "x"]]);
    expect(Object.entries(ledger.account("__proto__")?.metadata ?? {})).toEqual([
      ["constructor", "1"],
    ]);
  });
});
