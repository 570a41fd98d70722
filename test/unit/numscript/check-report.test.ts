import { describe, expect, test } from "vitest";
import { checkScript } from "#numscript/check/check.ts";
import { CHECK_DIAGNOSTICS_MAX } from "#numscript/check/report.ts";
import { SOURCE_LENGTH_MAX } from "#numscript/limits.ts";
import type { Range } from "#numscript/syntax/source.ts";
import { loadCases, RUNTIMES } from "#test/support/numscript/cases.ts";
import { interpreterReport, tell, textOf } from "#test/support/numscript/check.ts";

/** A script with everything that a report can contain. */
const SCRIPT = `#![feature("experimental-oneof")]
vars {
  account $user
  monetary $price
  string $note
  portion $fee = meta(@settings, "fee")
}
send $price (
  source = oneof {
    max [USD/2 500] from @promo:$note
    $user \\ $note allowing overdraft up to [USD/2 100]
    { @bank @promo with scaling through @swap }
  }
  destination = oneof {
    max [USD/2 1000] to @bank
    remaining to { $fee to @fees remaining kept }
  }
)
save [EUR *] from @fees
set_account_meta($user, "last", $price)
set_account_meta(@bank, "left", balance(@bank, EUR))
`;

const textsOf = (script: string, ranges: readonly Range[]): string[] =>
  ranges.map((range) => textOf(script, range));

describe("a report", () => {
  const report = interpreterReport(SCRIPT);

  test("a report lists variables with the places of their names, types and uses", () => {
    const variables = report.variables.map(({ range, typeRange, references, ...rest }) => ({
      ...rest,
      place: `${textOf(SCRIPT, typeRange)} ${textOf(SCRIPT, range)}`,
      references: textsOf(SCRIPT, references),
    }));

    expect(variables).toEqual([
      {
        name: "user",
        type: "account",
        place: "account $user",
        hasOrigin: false,
        isUsed: true,
        references: ["$user", "$user"],
      },
      {
        name: "price",
        type: "monetary",
        place: "monetary $price",
        hasOrigin: false,
        isUsed: true,
        references: ["$price", "$price"],
      },
      {
        name: "note",
        type: "string",
        place: "string $note",
        hasOrigin: false,
        isUsed: true,
        references: ["$note", "$note"],
      },
      {
        name: "fee",
        type: "portion",
        place: "portion $fee",
        hasOrigin: true,
        isUsed: true,
        references: ["$fee"],
      },
    ]);
    expect(report.neededVariables).toEqual({ user: "account", price: "monetary", note: "string" });
    expect(report.undeclaredVariables).toEqual([]);
  });

  test("a report gives the type of a variable at its declaration and each use, and describes functions", () => {
    const hovers = report.hovers.map(({ range, contents }) => [textOf(SCRIPT, range), contents]);
    const variable = (name: string, type: string) => [name, `\`\`\`\n${name}: ${type}\n\`\`\``];
    const setAccountMeta = [
      "set_account_meta",
      "`set_account_meta(account, string, any)`\n\nset account metadata",
    ];

    expect(hovers).toEqual([
      variable("$user", "account"),
      variable("$price", "monetary"),
      variable("$note", "string"),
      variable("$fee", "portion"),
      ["meta", "`meta(account, string) -> any`\n\nfetch account metadata"],
      variable("$price", "monetary"),
      variable("$note", "string"),
      variable("$user", "account"),
      variable("$note", "string"),
      variable("$fee", "portion"),
      setAccountMeta,
      variable("$user", "account"),
      variable("$price", "monetary"),
      setAccountMeta,
      ["balance", "`balance(account, asset) -> monetary`\n\nfetch account balance"],
    ]);
  });

  test("a report lists the accounts that are written out, with what happens to them", () => {
    const accounts = report.accounts.map(({ address, roles, ranges }) => [
      address,
      roles,
      textsOf(SCRIPT, ranges),
    ]);

    expect(accounts).toEqual([
      ["settings", ["metadata"], ["@settings"]],
      [
        "bank",
        ["source", "destination", "metadata", "balance"],
        ["@bank", "@bank", "@bank", "@bank"],
      ],
      ["promo", ["source"], ["@promo"]],
      ["swap", ["destination", "source"], ["@swap"]],
      ["fees", ["destination", "save"], ["@fees", "@fees"]],
    ]);
  });

  test("a report lists the assets that are written out", () => {
    const assets = report.assets.map(({ asset, ranges }) => [asset, textsOf(SCRIPT, ranges)]);

    expect(assets).toEqual([
      ["USD/2", ["USD/2", "USD/2", "USD/2"]],
      ["EUR", ["EUR", "EUR"]],
    ]);
  });

  test("a report lists the features that a run must allow, and whether the script does so itself", () => {
    const features = report.features.map(({ name, isDeclared, ranges }) => [
      name,
      isDeclared,
      textsOf(SCRIPT, ranges).map((text) => text.slice(0, 14)),
    ]);

    expect(features).toEqual([
      ["experimental-oneof", true, ["oneof {\n    ma", "oneof {\n    ma"]],
      ["experimental-account-interpolation", false, ["@promo:$note"]],
      ["experimental-asset-colors", false, ["$note"]],
      ["experimental-asset-scaling", false, ["@promo with sc"]],
      ["experimental-mid-script-function-call", false, ["balance(@bank,"]],
    ]);
  });

  test.each([
    ["experimental-overdraft-function", "monetary $a = overdraft(@a, C)"],
    ["experimental-get-asset-function", "asset $a = get_asset([C 1])"],
    ["experimental-get-amount-function", "number $a = get_amount(balance(@a, C))"],
    ["experimental-mid-script-function-call", "number $a = 1"],
  ])("a report knows that %s is needed for %s", (feature, declaration) => {
    const { features } = interpreterReport(`vars { ${declaration} }`);

    expect(features.map(({ name }) => name)).toEqual([feature]);
  });

  test.each(["monetary $a = balance(@a, C)", 'string $a = meta(@a, "k")'])(
    "a report knows that no feature is needed for %s",
    (declaration) => {
      expect(interpreterReport(`vars { ${declaration} }`).features).toEqual([]);
    },
  );

  test("a report infers the type of an undeclared variable from its use", () => {
    const script = 'send $a (source = { $b $b } destination = @x) set_tx_meta("k", $c)';
    const undeclared = interpreterReport(script).undeclaredVariables.map((variable) => ({
      ...variable,
      ranges: textsOf(script, variable.ranges),
    }));

    expect(undeclared).toEqual([
      { name: "a", type: "monetary", ranges: ["$a"] },
      { name: "b", type: "account", ranges: ["$b", "$b"] },
      { name: "c", type: undefined, ranges: ["$c"] },
    ]);
  });

  test("a report accepts names of inherited properties as variables", () => {
    const script = 'vars { string $__proto__ } set_tx_meta("k", $__proto__)';

    expect(Object.entries(interpreterReport(script).neededVariables)).toEqual([
      ["__proto__", "string"],
    ]);
    expect(tell('set_tx_meta("k", $constructor)', "experimental-interpreter")).toHaveLength(1);
  });
});

describe("the check of a script that cannot be read whole", () => {
  const broken = 'set_tx_meta("k" 1)\n';

  test("the check of a broken script reports what cannot be parsed, and checks the rest", () => {
    const script = `vars { account $a }\n${broken}send 5 (source = @a destination = @x)`;

    expect(tell(script, "experimental-interpreter")).toEqual([
      ["warning", "unused-variable", "$a", "The variable '$a' is never used"],
      ["error", "unexpected-token", "1", "expected ')', found '1'"],
      ["error", "type-mismatch", "5", "Type mismatch (expected 'monetary', got 'number' instead)"],
    ]);
  });

  test("the check of a broken script regards a variable as used if its use may be in what cannot be parsed", () => {
    const script = 'vars { account $a account $b }\nset_tx_meta("k" $a)';
    const told = tell(script, "experimental-interpreter").map(([, code, place]) => [code, place]);

    expect(told).toEqual([
      ["unused-variable", "$b"],
      ["unexpected-token", "$a"],
    ]);
  });

  test("the check of a broken script regards a variable as declared if its declaration may be in what cannot be parsed", () => {
    const script = "vars { account $a = }\nsend [C 1] (source = $a destination = $b)";
    const told = tell(script, "experimental-interpreter").map(([, code, place]) => [code, place]);

    expect(told).toEqual([
      ["unexpected-token", "}"],
      ["unbound-variable", "$b"],
    ]);
  });

  test("the check of a broken script reports nothing that the machine's compiler would", () => {
    const script = "vars {\naccount $a =\n}\nsend [C 1] (\nsource = $a\ndestination = @x\n)\n";

    expect(tell(script, "machine").map(([, code]) => code)).toEqual(["unexpected-token"]);
  });

  test("the check of a broken script gives every diagnostic a range", () => {
    const [diagnostic, ...others] = checkScript(
      " ".repeat(SOURCE_LENGTH_MAX + 1),
      "machine",
    ).diagnostics;

    expect(diagnostic).toMatchObject({ code: "limit-exceeded", range: { start: 0, end: 0 } });
    expect(others).toEqual([]);
  });
});

describe("the check of a script that asks for too much", () => {
  test("the check of a script that asks for too much has a limited number of diagnostics, errors rather than warnings", () => {
    const source = `{ @world ${"@a ".repeat(CHECK_DIAGNOSTICS_MAX)} }`;
    const script = `send [C 1] (source = ${source} destination = 5)`;
    const { diagnostics } = interpreterReport(script);

    expect(diagnostics).toHaveLength(CHECK_DIAGNOSTICS_MAX);
    expect(diagnostics.at(-1)).toMatchObject({ severity: "error", code: "type-mismatch" });
  });

  test("the check of a script that asks for too much shortens long names", () => {
    const script = `send [${"C".repeat(1000)} 1] (source = max [D 1] from @a destination = @x)`;
    const [diagnostic] = interpreterReport(script).diagnostics;

    expect(diagnostic).toMatchObject({ code: "asset-mismatch" });
    expect(diagnostic?.message.length).toBeLessThan(300);
  });

  test("the check of a script that asks for too much stops adding up portions at a limit", () => {
    const shares = Array.from({ length: 1500 }, (_, index) => `1/${10 ** 9 + index} to @a`);
    const script = `send [C 1] (source = @s destination = { ${shares.join(" ")} })`;

    expect(tell(script, "experimental-interpreter")).toEqual([]);
  });

  test.each(RUNTIMES)(
    "the check of a script that asks for too much gives a report of any part of any script for %s",
    (runtime) => {
      for (const [index, { s }] of loadCases("numscript").entries()) {
        // Each script is cut off, gets a hole, and has a part repeated, at places that vary between scripts.
        const place = (index * 7919) % (s.length + 1);
        const texts = [
          s.slice(0, place),
          s.slice(place),
          s.slice(0, place) + s.slice(place + 3),
          s + s.slice(place),
        ];
        for (const text of texts) assertPlaced(text, checkScript(text, runtime));
      }
    },
  );
});

/** Asserts that all ranges of a report are inside the text and in order. */
function assertPlaced(text: string, report: ReturnType<typeof checkScript>): void {
  for (const list of [report.diagnostics, report.hovers]) {
    const starts = list.map(({ range }) => range.start);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    for (const { range } of list) {
      expect(range.start).toBeLessThanOrEqual(range.end);
      expect(range.end).toBeLessThanOrEqual(text.length);
    }
  }
}
