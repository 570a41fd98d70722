import { beforeAll, describe, expect, test, vi } from "vitest";
import {
  idsIn,
  sumsOf,
  textOf,
  toggled,
} from "#console/places/reconciliation/matchings/hand/selection.ts";
import type * as PassDrafts from "#console/places/reconciliation/matchings/passes/pass-draft.ts";
import type { MatchingLine } from "#console/places/reconciliation/queries/groups.ts";
import type { MatchingPass } from "#console/places/reconciliation/queries/matchings.ts";
import { fieldsOf, guessMapping } from "#console/places/reconciliation/sources/mapping/guess.ts";
import {
  draftOfMapping,
  isComplete,
  toMapping,
  type WireMapping,
} from "#console/places/reconciliation/sources/mapping/mapping-draft.ts";

describe("the mapping of a CSV file", () => {
  const GERMAN = [
    "Buchungstag;Betrag;Währung;End-to-End;Verwendungszweck;Auftraggeber;Saldo",
    "02.03.2026;1.250,00;EUR;INV-1;Rechnung;Acme;5.000,00",
  ].join("\r\n");

  test("the beginning of a file gives its delimiter, dates, signs and columns", () => {
    const draft = guessMapping(GERMAN);
    expect(draft).toMatchObject({
      delimiter: ";",
      dateFormat: "DD.MM.YYYY",
      decimalSign: ",",
      thousandsSign: ".",
      amount: "Betrag",
      text: "Verwendungszweck",
    });
    expect(draft.columns).toMatchObject({
      date: "Buchungstag",
      currency: "Währung",
      name: "Auftraggeber",
      endToEndId: "End-to-End",
      balance: "Saldo",
      valueDate: "",
    });
    expect(isComplete(draft)).toBe(true);
  });

  test("a file that says nothing of itself has no columns, and is no mapping yet", () => {
    expect(isComplete(guessMapping("1,2,3\n4,5,6"))).toBe(false);
    expect(guessMapping("").delimiter).toBe(";");
  });

  test.each([
    ['a;"b;c";d', ";", ["a", "b;c", "d"]],
    ['"say ""so""",x,', ",", ['say "so"', "x", ""]],
    ["\uFEFFDate|Amount", "|", ["Date", "Amount"]],
    ["a\tb", "\t", ["a", "b"]],
  ])("%j at %j has the fields %j", (line, delimiter, fields) => {
    expect(fieldsOf(line, delimiter)).toEqual(fields);
  });

  const WORD: WireMapping = {
    delimiter: ",",
    header: false,
    skipLines: 2,
    dateFormat: "YYYYMMDD",
    decimalSign: ".",
    thousandsSign: "'",
    amount: { by: "word", amount: 3, word: 4, credit: ["C", "credit"], debit: ["D"] },
    asset: "CHF",
    columns: { date: 1, name: 5, text: [6, 7] },
  };
  const COLUMNS: WireMapping = {
    delimiter: ";",
    header: true,
    skipLines: 0,
    dateFormat: "DD.MM.YYYY",
    decimalSign: ",",
    amount: { by: "columns", credit: "Haben", debit: "Soll" },
    columns: { date: "Tag", currency: "Währung" },
  };

  test.each([WORD, COLUMNS])("the form shows a mapping and sends it as it was", (mapping) => {
    expect(toMapping(draftOfMapping(mapping))).toEqual(mapping);
  });

  test("what the form does not show stays, and what it clears goes", () => {
    const stored = { ...WORD, newestFirst: true };
    const draft = { ...draftOfMapping(stored), asset: "", thousandsSign: "" as const };
    const { asset: _asset, thousandsSign: _sign, ...rest } = stored;
    expect(toMapping(draft, stored)).toEqual(rest);
  });
});

describe("a match by hand", () => {
  test("ids of a URL are numbers, each once, and anything else is left out", () => {
    expect(idsIn("3,5,3,x,-1,0,1.5,9999999999999999,7")).toEqual([3, 5, 7]);
    expect(idsIn(undefined)).toEqual([]);
    expect(textOf(toggled([3, 5], 5))).toBe("3");
    expect(textOf(toggled([3], 5))).toBe("3,5");
    expect(textOf(toggled([3], 3))).toBeUndefined();
  });

  test("sums are exact, and of each asset", () => {
    const line = (side: "left" | "right", amount: bigint, asset: string) =>
      ({ side, amount, asset }) as MatchingLine; // The sums read no more.
    const large = 2n ** 60n;
    expect(
      sumsOf([
        line("left", large, "EUR/2"),
        line("left", 1n, "EUR/2"),
        line("right", large, "EUR/2"),
        line("right", -5n, "USD/2"),
      ]),
    ).toEqual([
      { asset: "EUR/2", left: large + 1n, right: large },
      { asset: "USD/2", left: 0n, right: -5n },
    ]);
  });
});

describe("the passes of a matching", () => {
  let drafts: typeof PassDrafts;

  beforeAll(async () => {
    vi.stubGlobal("localStorage", { getItem: () => "en" });
    drafts = await import("#console/places/reconciliation/matchings/passes/pass-draft.ts");
  });

  const base = {
    name: "fee",
    keys: [
      {
        left: "endToEndId",
        right: "providerId",
        normalise: [{ kind: "case" }, { kind: "prefix", length: 16 }],
        lengthMin: 8,
      },
    ],
    dates: { max: 5, count: "businessDays" },
    cardinality: "1:n",
    groupMax: 6,
    tieBreaks: ["date", "amount"],
    confidence: 85,
  } satisfies Omit<MatchingPass, "amount">;

  test.each([
    { kind: "equal" },
    { kind: "tolerance", absolute: 10n ** 20n, millionths: 2500n },
    { kind: "fee", netSide: "right", fixed: 25n, millionths: 14_000n },
  ] as const)("the form shows a pass with amounts %o and sends it as it was", (amount) => {
    const pass: MatchingPass = { ...base, amount };
    expect(drafts.toPasses(drafts.draftsOf([pass]))).toEqual([pass]);
  });

  test("per cent have four decimals, and no more are taken", () => {
    expect(drafts.percentText(14_000n)).toBe("1.4");
    expect(drafts.toMillionths("1.4")).toBe(14_000n);
    expect(drafts.toMillionths("0.0001")).toBe(1n);
    expect(drafts.toMillionths("")).toBe(0n);
    expect(drafts.toMillionths("0.00001")).toBeUndefined();
    expect(drafts.toMillionths("-1")).toBeUndefined();
  });

  test("a pass changes its place with the next one, and the ends stay", () => {
    const [one, two] = [drafts.newPass("one"), drafts.newPass("two")];
    expect(drafts.moved([one, two], 0, 1)).toEqual([two, one]);
    expect(drafts.moved([one, two], 0, -1)).toEqual([one, two]);
    expect(drafts.moved([one, two], 1, 1)).toEqual([one, two]);
  });
});
