import { describe, expect, test } from "vitest";
import { PORTION_DIGITS_MAX, POSTINGS_MAX } from "#numscript/limits.ts";
import { type Reader } from "#numscript/values/run.ts";
import { type Balances, MemoryReader } from "#test/support/numscript/cases.ts";
import { postingsOf, refusalOf, runScript } from "#test/support/numscript/interpreter-runs.ts";

const repeat = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join("\n");

describe("reading balances", () => {
  test("reading balances asks once for what all statements need, each pair once, in the order of need", () => {
    const reader = new MemoryReader({ balances: { a: { C: 5 }, b: { C: 5, D: 1 } } });

    runScript(
      `save [D 1] from @b
       send [C 2] (source = { @a @world max [C 1] from @b @a } destination = @x)
       send [C 2] (source = oneof { @b @c } destination = @a)
       send [D *] (source = @b destination = @x)`,
      { reader },
    );

    expect(reader.reads).toEqual([{ b: ["D", "C"], a: ["C"], c: ["C"] }]);
  });

  test("reading balances asks for nothing where no account can run dry", () => {
    const reader = new MemoryReader({});

    runScript(
      `send [C 2] (source = @a allowing unbounded overdraft destination = @b)
       send [C 2] (source = @world allowing overdraft up to [C 1] destination = @b)
       set_tx_meta("issued", overdraft(@world, C))`,
      { reader },
    );

    expect(reader.reads).toEqual([]);
  });

  test("reading balances asks for a balance in a script together with pending ones, and for none of them again", () => {
    const reader = new MemoryReader({ balances: { a: { C: 5 }, b: { C: 7 } } });

    const postings = postingsOf(
      `send [C 2] (source = @a destination = @x)
       send balance(@b, C) (source = { @b @c } destination = @x)`,
      { reader },
    );

    expect(postings).toEqual(["a>x C 2", "b>x C 7"]);
    expect(reader.reads).toEqual([{ a: ["C"], b: ["C"] }, { c: ["C"] }]);
  });

  test("reading balances does not ask again for what the origin of a variable has read", () => {
    const reader = new MemoryReader({ balances: { a: { C: 5 } } });

    runScript(
      `vars { monetary $all = balance(@a, C) monetary $again = balance(@a, C) }
       send $all (source = @a destination = @x)`,
      { reader },
    );

    expect(reader.reads).toEqual([{ a: ["C"] }]);
  });

  test("reading balances lets an account that is credited first give only what it has", () => {
    const script = `send [C 10] (source = @world destination = @a)
      send [C *] (source = @a destination = @x)`;

    expect(postingsOf(script, { balances: { a: { C: -4 } } })).toEqual(["world>a C 10", "a>x C 6"]);
  });
});

describe("places of mistakes", () => {
  const send = (amount: string, source: string, destination = "@x") =>
    `send ${amount} (source = ${source} destination = ${destination})`;

  test.each([
    ["missing-funds", send("[C 9]", "{ 1/3 from @world 2/3 from { @a @b } }"), "{ @a @b }"],
    ["negative-amount", send("[C 1] - [C 2]", "@a"), "[C 1] - [C 2]"],
    ["negative-amount", "save [C -1] from @a", "[C -1]"],
    ["type-mismatch", send("[C 1] + 2", "@a"), "2"],
    ["type-mismatch", send("@a - 2", "@a"), "@a"],
    ["type-mismatch", send("[1 2]", "@a"), "1"],
    ["type-mismatch", 'set_account_meta(1, "k", 2)', 'set_account_meta(1, "k", 2)'],
    ["unbound-variable", send("[C 1]", "{ @a $b }"), "$b"],
    ["missing-variable", "vars { account $a }", "$a"],
    ["invalid-type", 'vars { text $a = meta(@m, "k") }', "text"],
    ["unknown-function", 'meta(@a, "k")', "meta"],
    ["unknown-function", 'vars { string $a = set_tx_meta("a", 1) }', "set_tx_meta"],
    ["wrong-arity", "set_tx_meta(@a)", "set_tx_meta(@a)"],
    ["missing-account", 'vars { string $a = meta(@none, "k") }', 'meta(@none, "k")'],
    ["missing-metadata", 'vars { string $a = meta(@m, "toString") }', 'meta(@m, "toString")'],
    ["invalid-meta-call", 'vars { number $a = get_amount(meta(@m, "k")) }', 'meta(@m, "k")'],
    ["negative-balance", "vars { monetary $a = balance(@overdrawn, C) }", "balance(@overdrawn, C)"],
    ["asset-mismatch", send("[C 1]", "max [D 1] from @a"), "[D 1]"],
    ["asset-mismatch", send("[C 1]", "@world", "{ max [D 1] to @a remaining kept }"), "[D 1]"],
    ["portions-below-one", send("[C 1]", "@world", "{ 1/2 kept }"), "{ 1/2 kept }"],
    [
      "portions-above-one",
      send("[C 1]", "{ 60% from @a 50% from @a }"),
      "{ 60% from @a 50% from @a }",
    ],
    ["invalid-share", send("[C 1]", "@world", "{ 3/2 kept remaining kept }"), "3/2"],
    ["send-all-allotment", send("[C *]", "{ @a { 1/1 from @b } }"), "{ 1/1 from @b }"],
    ["send-all-unbounded", send("[C *]", "{ @a @world }"), "@world"],
    ["division-by-zero", 'set_tx_meta("k", 7/(1 - 1))', "7/(1 - 1)"],
    ["unknown-feature", '#![feature("experimental-oneof", "more")]', '"more"'],
    ["type-mismatch", `vars { portion $p = 1/2 } ${send("[C 1]", "@world", "@a:$p")}`, "@a:$p"],
    ["invalid-color", send("[C 1]", '@a \\ "Red"'), '"Red"'],
    [
      "invalid-scaling",
      send("[C 1]", "@world with scaling through @s"),
      "@world with scaling through @s",
    ],
    ["invalid-posting", send("[ABCDEFGHIJKLMNOPQR 1]", "@world"), "[ABCDEFGHIJKLMNOPQR 1]"],
  ])("%s: %s", (code, script, place) => {
    const refusal = refusalOf(script, {
      balances: { a: { C: 0 }, overdrawn: { C: -1 } },
      metadata: { m: { k: "v" } },
    });

    expect(refusal).toMatchObject({ code, place });
    expect(refusal?.reason).toBe(code === "missing-funds" ? "missing-funds" : "runtime");
  });

  test("the interpreter names the feature that is missing, at what needs it", () => {
    const script = `send [C 1] (source = @a \\ "RED" destination = @x)`;

    expect(refusalOf(script, { flags: ["experimental-oneof", "unknown"] })).toMatchObject({
      code: "experimental-feature",
      place: '"RED"',
      message: expect.stringContaining("'experimental-asset-colors'") as string,
    });
  });

  test("the interpreter reports a mistake in a later source before missing funds, one in a destination after them", () => {
    const missing = "send [C 1] (source = @a destination = @x)";

    expect(
      refusalOf(`${missing} send [C 1] (source = max 1 from 2 destination = @x)`),
    ).toMatchObject({ code: "type-mismatch", place: "2" });
    expect(refusalOf(`${missing} send [C 1] (source = @world destination = 2)`)).toMatchObject({
      code: "missing-funds",
    });
  });
});

describe("shares", () => {
  const toShares = (clauses: string, variables = {}) =>
    [
      `send [C 10] (source = @a destination = { ${clauses} })`,
      { balances: { a: { C: 10 } }, variables },
    ] as const;

  test("the interpreter pays the first shares where the shares exceed one, as long as something is left", () => {
    expect(postingsOf(...toShares("1/2 to @x 2/3 to @y remaining to @z"))).toEqual([
      "a>x C 6",
      "a>y C 4",
    ]);
    expect(postingsOf(...toShares("1/1 to @x remaining kept 1/2 to @y"))).toEqual(["a>x C 10"]);
  });

  test.each([
    ["a negative share", "-1/2 to @x remaining to @y", "-1/2"],
    ["a share above one", "3/2 to @x remaining to @y", "3/2"],
    ["a negative share that is kept", "-1/2 kept remaining to @x", "-1/2"],
    ["remaining before what exceeds one", "1/2 to @x remaining kept 2/3 to @y", "remaining"],
    [
      "remaining that would take the money of another clause",
      "1/2 to { 1/2 to @x 2/3 to @y remaining kept } 1/2 to @z",
      "remaining",
    ],
  ])("a division refuses %s", (_, clauses, place) => {
    expect(refusalOf(...toShares(clauses))).toMatchObject({
      reason: "runtime",
      code: "invalid-share",
      place,
    });
  });

  test("the interpreter refuses sources whose shares exceed one", () => {
    const script = `send [C 10] (
      source = { 1/2 from @a 2/3 from @a remaining from @a }
      destination = @x
    )`;

    expect(refusalOf(script, { balances: { a: { C: 100 } } })).toMatchObject({
      code: "invalid-share",
      place: "remaining",
    });
  });

  test("the interpreter gives spare units to the first shares, whatever they are", () => {
    expect(
      postingsOf(...toShares("remaining to @z 0% to @y 1/3 to @x 1/3 to @w 1/3 to @v")),
    ).toEqual(["a>z C 1", "a>x C 3", "a>w C 3", "a>v C 3"]);
  });
});

describe("oneof", () => {
  test("oneof gives back what a rejected source gave, nested ones included", () => {
    const script = `send [C 10] (
        source = { max [C 1] from @a oneof { { @a oneof { @b @c } } { @b @c @a } } }
        destination = @x
      )
      send [C *] (source = { @a @b @c } destination = @y)`;

    expect(postingsOf(script, { balances: { a: { C: 3 }, b: { C: 4 }, c: { C: 5 } } })).toEqual([
      "a>x C 1",
      "b>x C 4",
      "c>x C 5",
      "a>y C 2",
    ]);
  });

  test("oneof keeps the conversions of a rejected source, in balances and postings alike", () => {
    const balances = { s: { EUR: 2 }, b: { "EUR/2": 500 } };
    const script = `send [EUR/2 500] (
        source = oneof { @s with scaling through @swap @b }
        destination = @x
      )`;

    expect(
      postingsOf(`${script} send [EUR/2 *] (source = @s destination = @y)`, { balances }),
    ).toEqual(["s>swap EUR 2", "swap>s EUR/2 200", "b>x EUR/2 500", "s>y EUR/2 200"]);
    expect(
      refusalOf(`${script} send [EUR 2] (source = @s destination = @y)`, { balances }),
    ).toMatchObject({
      reason: "missing-funds",
      message: "Not enough funds. Needed [EUR 2] (only [EUR 0] available)",
    });
  });
});

describe("scaling", () => {
  const sendScaled = (amount: string, through = "@swap") =>
    `send ${amount} (source = @s with scaling through ${through} destination = @x)`;

  test("scaling converts money of the same asset only, however its precision is written", () => {
    const balances = {
      s: { EURO: 9, "EURO/2": 9, EUR_RED: 9, "EUR/0": 1, "EUR/02": 5, "EUR/3": -50 },
    };

    expect(postingsOf(sendScaled("[EUR/1 10]"), { balances })).toEqual([
      "s>swap EUR/0 1",
      "swap>s EUR/1 10",
      "s>x EUR/1 10",
    ]);
    expect(refusalOf(sendScaled("[EUR/2 106]"), { balances })?.message).toBe(
      "Not enough funds. Needed [EUR/2 106] (only [EUR/2 100] available)",
    );
  });

  test("scaling includes an account's earlier balance if the ledger does not list all precisions", () => {
    const { reader } = tellingNoScales({ s: { EUR: -3, "EUR/2": -50, "EUR/3": 0 } });
    const credits = `send [EUR 5] (source = @world destination = @s)
      send [EUR/2 60] (source = @world destination = @s)
      send [EUR/3 90] (source = @world destination = @s)`;

    expect(postingsOf(`${credits} ${sendScaled("[EUR/2 *]")}`, { reader }).slice(3)).toEqual([
      "s>swap EUR/3 90",
      "s>swap EUR 2",
      "swap>s EUR/2 209",
      "s>x EUR/2 219",
    ]);
  });

  test("scaling gains nothing from an exchange with itself", () => {
    expect(
      refusalOf(sendScaled("[EUR/2 200]", "@s"), { balances: { s: { EUR: 2 } } }),
    ).toMatchObject({ reason: "missing-funds" });
  });

  test("scaling spends a converted balance once", () => {
    const script = `${sendScaled("[EUR/2 150]")} ${sendScaled("[EUR/2 *]")} ${sendScaled("[EUR/1 *]")}`;

    expect(postingsOf(script, { balances: { s: { EUR: 2, "EUR/1": 3 } } })).toEqual([
      "s>swap EUR/1 3",
      "s>swap EUR 2",
      "swap>s EUR/2 230",
      "s>x EUR/2 150",
      "s>x EUR/2 80",
    ]);
  });

  test("scaling is like an ordinary account if the ledger does not list other precisions", () => {
    const { reader, reads } = tellingNoScales({ s: { EUR: 2, "EUR/2": 7 } });

    expect(postingsOf(sendScaled("[EUR/2 *]"), { reader })).toEqual(["s>x EUR/2 7"]);
    expect(reads).toEqual([{ s: ["EUR/2"] }]);
  });

  function tellingNoScales(balances: Balances) {
    const memory = new MemoryReader({ balances });
    const reader: Reader = {
      balances: (queries) => memory.balances(queries),
      metadata: (account) => memory.metadata(account),
    };
    return { reader, reads: memory.reads };
  }
});

describe("limits", () => {
  const nines = (count: number) => "9".repeat(count);

  test.each<[string, string, Record<string, string>]>([
    ["a sum", 'vars { number $n } set_tx_meta("k", $n + 1)', { n: nines(1000) }],
    ["a difference", 'vars { number $n } set_tx_meta("k", -$n - 1)', { n: nines(1000) }],
    [
      "a sum of money",
      'vars { monetary $m } set_tx_meta("k", $m + $m)',
      { m: `USD ${nines(1000)}` },
    ],
    ["a variable", "vars { number $n }", { n: nines(1001) }],
    [
      "a portion",
      'vars { number $n } set_tx_meta("k", 1/$n)',
      { n: nines(PORTION_DIGITS_MAX + 1) },
    ],
    [
      "a sum of portions",
      `vars { portion $p portion $q }
       send [C 1] (source = @world destination = { $p kept $q kept remaining kept })`,
      { p: `1/${nines(400)}`, q: `1/${nines(399)}8` },
    ],
    [
      "the postings",
      `send [C *] (source = { ${repeat(POSTINGS_MAX + 1, (n) => `@a${n}`)} } destination = @x)`,
      {},
    ],
    [
      "the steps of joining a name",
      `vars { string $s }
       send [C 1] (source = @world destination = @${repeat(100, () => "$s").replaceAll("\n", ":")})`,
      { s: "x".repeat(1_000_000) },
    ],
    [
      "the steps of dividing",
      `vars { number $n number $m } ${repeat(1100, () => 'set_tx_meta("k", $n/$m)')}`,
      { n: nines(400), m: `${nines(399)}7` },
    ],
  ])("limits of the interpreter bound %s", (_, script, variables) => {
    const refusal = refusalOf(script, { variables, balances: everyAccountHas(1) });

    expect(refusal?.reason).toBe("runtime");
    expect(refusal?.code).toMatch(/^(limit-exceeded|invalid-variable)$/);
    expect(refusal?.message).toMatch(/at most|more than/);
  });

  test("limits of the interpreter leave precisions alone that are too far apart", () => {
    const script = `send [EUR/999999 *] (source = @s with scaling through @swap destination = @x)`;

    expect(postingsOf(script, { balances: { s: { EUR: 1 } } })).toEqual([]);
  });

  const everyAccountHas = (balance: number) =>
    Object.fromEntries(
      Array.from({ length: POSTINGS_MAX + 1 }, (_, index) => [`a${index}`, { C: balance }]),
    );
});

test("the interpreter takes variables of any name, and ignores what no variable is declared for", () => {
  const variables = Object.fromEntries([
    ["__proto__", "p"],
    ["constructor", "c"],
    ["other", "o"],
  ]);

  const { postings, metadata } = runScript(
    `vars { account $__proto__ string $constructor }
     send [C 1] (source = @world destination = $__proto__)
     set_tx_meta("__proto__", $constructor)`,
    { variables },
  );

  expect(postings.map(({ destination }) => destination)).toEqual(["p"]);
  expect([...metadata]).toEqual([["__proto__", "c"]]);
  expect(refusalOf("vars { string $constructor }")).toMatchObject({ code: "missing-variable" });
});
