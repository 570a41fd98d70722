import { integerOf } from "./spec.ts";
import type { Evaluation } from "#console/places/reconciliation/queries/common.ts";
import type { Integer } from "#openapi";

type Members = Readonly<Record<string, unknown>>;

/** The name of a side of a comparison; `text` is a source as the evidence names it, such as `ledger:main`. */
export type SideName =
  | { readonly kind: "ledger" | "pool" | "positive" | "negative" | "balance" }
  | { readonly kind: "term"; readonly number: number }
  | { readonly kind: "source"; readonly text: string }
  | { readonly kind: "left" | "right" };

/** One check of an evaluation, or of an alert: what both sides had, and how far they are apart. */
export interface Comparison {
  readonly id: string;
  /** The asset as the fingerprint has it. */
  readonly asset: string;
  readonly account?: string | undefined;
  readonly passed: boolean;
  readonly sides: readonly { readonly name: SideName; readonly amount: Integer }[];
  /** The difference with its sign; absent for a balance between bounds. */
  readonly difference?: Integer;
  /** Whether the difference is the sum of both sides, because what one side has the other one owes. */
  readonly isSum?: boolean;
  readonly tolerance?: Integer;
  readonly min?: Integer;
  readonly max?: Integer;
}

/** What an evaluation has compared, and how many checks it does not list. */
export interface Comparisons {
  readonly listed: readonly Comparison[];
  /** Checks that pass, and such that fail as they did before. */
  readonly others: string | undefined;
  readonly unchanged: string | undefined;
}

/** The checks of an evaluation, failing ones first. Empty for one that could not be compared. */
export function comparisonsOf({ evidence }: Pick<Evaluation, "evidence">): Comparisons {
  const outcomes = Array.isArray(evidence) ? evidence : [];
  const listed = outcomes
    .filter(({ fingerprint }) => fingerprint.startsWith(ASSET_PREFIX))
    .map(({ fingerprint, passed, proof, evidence: failure }) =>
      comparisonOf(fingerprint, passed, proof ?? failure ?? {}),
    )
    .toSorted((one, other) => Number(one.passed) - Number(other.passed));
  const countOf = (name: string, key: string): string | undefined => {
    const entry = outcomes.find(({ fingerprint }) => fingerprint === name);
    const count = integerOf((entry?.proof ?? entry?.evidence ?? {})[key]);
    return count === undefined ? undefined : String(count);
  };
  return {
    listed,
    others: countOf("others", "passed"),
    unchanged: countOf("unchanged", "failed"),
  };
}

const ASSET_PREFIX = "asset:";
const FINGERPRINT = /^asset:(.*?)(?:\|account:(.*))?$/s;

/** The asset and account of a fingerprint; undefined for one of another form, such as `engine.error`. */
export function subjectOf(
  fingerprint: string,
): { readonly asset: string; readonly account: string | undefined } | undefined {
  const [, asset, account] = FINGERPRINT.exec(fingerprint) ?? [];
  return asset === undefined ? undefined : { asset, account };
}

/** A check from its fingerprint and the numbers of its proof or evidence. What these lack, the comparison lacks, too. */
export function comparisonOf(fingerprint: string, passed: boolean, numbers: Members): Comparison {
  const subject = subjectOf(fingerprint);
  const sides = sidesOf(numbers);
  const difference = differenceOf(numbers);
  return {
    id: fingerprint,
    asset: subject?.asset ?? "",
    account: subject?.account,
    passed,
    sides,
    ...(difference === undefined ? {} : { difference }),
    ...amountsOf(numbers, ["tolerance", "min", "max"]),
  };
}

function amountsOf<Name extends string>(
  numbers: Members,
  names: readonly Name[],
): Partial<Record<Name, Integer>> {
  const found = names.flatMap((name) => {
    const amount = integerOf(numbers[name]);
    return amount === undefined ? [] : [[name, amount] as const];
  });
  return Object.fromEntries(found) as Partial<Record<Name, Integer>>; // The entries have only these names.
}

/** The names of the sides in the numbers of each kind of check: of one that passes, and of one that fails. */
const SIDES: readonly (readonly [key: string, name: SideName])[] = [
  ["ledger", { kind: "ledger" }],
  ["ledgerBalanceRaw", { kind: "ledger" }],
  ["pool", { kind: "pool" }],
  ["poolBalance", { kind: "pool" }],
  ["balance", { kind: "balance" }],
  ["positive", { kind: "positive" }],
  ["negative", { kind: "negative" }],
  ["left", { kind: "left" }],
  ["right", { kind: "right" }],
];

function sidesOf(numbers: Members): Comparison["sides"] {
  const known = SIDES.flatMap(([key, name]) => {
    const amount = integerOf(numbers[key]);
    return amount === undefined ? [] : [{ name, amount }];
  });
  const { termValues: terms } = numbers;
  const ofTerms = (Array.isArray(terms) ? terms : []).flatMap((value: unknown, index) => {
    const amount = integerOf(value);
    return amount === undefined
      ? []
      : [{ name: { kind: "term", number: index + 1 } as const, amount }];
  });
  const ofSources = (["left", "right"] as const).flatMap((side) => {
    const amount = integerOf(numbers[`${side}Balance`]);
    const source = numbers[`${side}Source`];
    if (amount === undefined) return [];
    const name: SideName =
      typeof source === "string" ? { kind: "source", text: source } : { kind: side };
    return [{ name, amount }];
  });
  return [...known, ...ofTerms, ...ofSources];
}

/** The difference with its sign: as the evidence has it, or from the balances of a check that passes. */
function differenceOf(numbers: Members): Integer | undefined {
  for (const key of ["signedDrift", "signedSum", "signedDiff"]) {
    const difference = integerOf(numbers[key]);
    if (difference !== undefined) return difference;
  }
  const { ledger, pool, positive, negative, left, right } = amountsOf(numbers, [
    "ledger",
    "pool",
    "positive",
    "negative",
    "left",
    "right",
  ]);
  if (ledger !== undefined && pool !== undefined) {
    const sign = integerOf(numbers["ledgerSign"]) ?? 1;
    return BigInt(sign) * BigInt(ledger) + BigInt(pool);
  }
  if (positive !== undefined && negative !== undefined) return BigInt(positive) + BigInt(negative);
  return left === undefined || right === undefined ? undefined : BigInt(left) - BigInt(right);
}
