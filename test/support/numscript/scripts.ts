import * as fc from "fast-check";
import type {
  Amount,
  Destination,
  DestinationBranch,
  Expression,
  KeptOrDestination,
  Program,
  Share,
  Source,
  Statement,
} from "#numscript/syntax/ast.ts";
import { WORLD } from "#numscript/values/values.ts";

/** A script that moves money, with the balances at its start. */
export interface Movement {
  readonly program: Program;
  /** The balances of accounts in the only asset of the script. */
  readonly balances: Readonly<Record<string, bigint>>;
}

export interface MovementOptions {
  /** Whether scripts may contain `kept` (`withKept`) and `save` (`withSave`). */
  readonly withKept?: boolean;
  readonly withSave?: boolean;
  /** Whether scripts may contain `oneof` and allotments inside sources, which only the interpreter accepts. */
  readonly forInterpreter?: boolean;
}

/** The asset of all movements. */
export const ASSET = "USD/2";
/** Accounts from which scripts take money, and accounts to which they only send money. */
const HOLDERS = ["a", "b", "c", "d"] as const;
const RECEIVERS = ["x", "y", "z"] as const;

const range = { start: 0, end: 0 };
const AMOUNT_MAX = 10n ** 40n;

/** Small amounts, which often equal a balance or a cap, and large amounts. */
const amounts = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: 0n, max: 30n }) },
  { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 1000n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: AMOUNT_MAX }) },
);
const balancesOf = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0n) },
  { weight: 6, arbitrary: fc.bigInt({ min: -10n, max: 60n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: -AMOUNT_MAX, max: AMOUNT_MAX }) },
);

const accountExpression = (name: string): Expression => ({
  kind: "account",
  pieces: [name],
  range,
});
export const monetary = (amount: bigint): Expression => ({
  kind: "monetary",
  asset: { kind: "asset", name: ASSET, range },
  amount: { kind: "number", value: amount, range },
  range,
});
const caps = amounts.map(monetary);
const REMAINING: Share = { kind: "remaining", range };

/** Shares that add up to one, `count` in number. One of them may be `remaining`, which then is more than zero. */
const sharesOf = (count: number): fc.Arbitrary<Share[]> =>
  fc
    .record({
      weights: fc.array(
        fc.oneof(
          { weight: 4, arbitrary: fc.bigInt({ min: 0n, max: 6n }) },
          { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 10n ** 20n }) },
        ),
        { minLength: count, maxLength: count },
      ),
      remaining: fc.nat(2 * count),
      inPercent: fc.boolean(),
    })
    .map(({ weights, remaining, inPercent }) => toShares(weights, { remaining, inPercent }));

function toShares(
  weights: readonly bigint[],
  { remaining, inPercent }: { remaining: number; inPercent: boolean },
): Share[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n);
  // With all weights zero, the first share gets everything.
  const numerators = sum === 0n ? weights.map((_, index) => (index === 0 ? 1n : 0n)) : weights;
  const denominator = sum === 0n ? 1n : sum;
  const isPercent = inPercent && 10_000n % denominator === 0n;
  return numerators.map((numerator, index): Share => {
    if (index === remaining && numerator > 0n) return REMAINING;
    const expression: Expression = isPercent
      ? { kind: "percentage", digits: (10_000n / denominator) * numerator, decimals: 2, range }
      : { kind: "fraction", numerator, denominator, range };
    return { kind: "portion", expression, range };
  });
}

const DEPTH = { depthSize: "small", maxDepth: 4 } as const;

const accountSource: fc.Arbitrary<Source> = fc
  .record({
    account: fc.constantFrom(...HOLDERS, ...HOLDERS, WORLD),
    overdraft: fc.oneof(
      { weight: 5, arbitrary: fc.constant(undefined) },
      { weight: 2, arbitrary: caps.map((limit) => ({ kind: "upTo" as const, limit, range })) },
      { weight: 1, arbitrary: fc.constant({ kind: "unbounded" as const, range }) },
    ),
  })
  .map(({ account, overdraft }): Source => ({
    kind: "account",
    account: accountExpression(account),
    ...(overdraft === undefined || account === WORLD ? {} : { overdraft }),
    range,
  }));

const allotmentOf = (source: fc.Arbitrary<Source>): fc.Arbitrary<Source> =>
  fc
    .array(source, { minLength: 1, maxLength: 4 })
    .chain((sources) => fc.tuple(fc.constant(sources), sharesOf(sources.length)))
    .map(([sources, shares]): Source => ({
      kind: "allotment",
      branches: sources.map((source, index) => ({
        share: shares[index] ?? REMAINING,
        source,
        range,
      })),
      range,
    }));

function sourcesFor({ forInterpreter = false }: MovementOptions): fc.Arbitrary<Source> {
  const { source } = fc.letrec<{ source: Source }>((tie) => ({
    source: fc.oneof(
      DEPTH,
      accountSource,
      fc
        .record({ cap: caps, source: tie("source") })
        .map((fields): Source => ({ kind: "max", ...fields, range })),
      fc
        .array(tie("source"), { minLength: 1, maxLength: 4 })
        .map((sources): Source => ({ kind: "inOrder", sources, range })),
      ...(forInterpreter
        ? [
            fc
              .array(tie("source"), { minLength: 1, maxLength: 3 })
              .map((sources): Source => ({ kind: "oneOf", sources, range })),
            allotmentOf(tie("source")),
          ]
        : []),
    ),
  }));
  return fc.oneof({ weight: 3, arbitrary: source }, { weight: 1, arbitrary: allotmentOf(source) });
}

function destinationsFor(options: MovementOptions): fc.Arbitrary<Destination> {
  const { withKept = false, forInterpreter = false } = options;
  return fc.letrec<{ destination: Destination; target: KeptOrDestination }>((tie) => {
    const capped = (kind: "inOrder" | "oneOf") =>
      fc
        .record({
          clauses: fc.array(
            fc.record({ cap: caps, target: tie("target"), range: fc.constant(range) }),
            { minLength: 1, maxLength: 3 },
          ),
          remaining: tie("target"),
        })
        .map((fields): Destination => ({ kind, ...fields, range }));
    const allotment = fc
      .array(tie("target"), { minLength: 1, maxLength: 4 })
      .chain((targets) => fc.tuple(fc.constant(targets), sharesOf(targets.length)))
      .map(([targets, shares]): Destination => ({
        kind: "allotment",
        branches: targets.map((target, index): DestinationBranch => ({
          share: shares[index] ?? REMAINING,
          target,
          range,
        })),
        range,
      }));
    const to = tie("destination").map((destination): KeptOrDestination => ({
      kind: "to",
      destination,
      range,
    }));
    return {
      destination: fc.oneof(
        DEPTH,
        fc.constantFrom(...RECEIVERS, ...HOLDERS, WORLD).map((name): Destination => ({
          kind: "account",
          account: accountExpression(name),
          range,
        })),
        capped("inOrder"),
        allotment,
        ...(forInterpreter ? [capped("oneOf")] : []),
      ),
      target: withKept
        ? fc.oneof(
            { weight: 3, arbitrary: to },
            { weight: 1, arbitrary: fc.constant<KeptOrDestination>({ kind: "kept", range }) },
          )
        : to,
    };
  }).destination;
}

function statementsFor(options: MovementOptions): fc.Arbitrary<Statement> {
  const all: Amount = { kind: "all", asset: { kind: "asset", name: ASSET, range }, range };
  const amount = fc.oneof(
    {
      weight: 5,
      arbitrary: caps.map((expression): Amount => ({ kind: "exact", expression, range })),
    },
    { weight: 1, arbitrary: fc.constant(all) },
  );
  const send = fc
    .record({ amount, source: sourcesFor(options), destination: destinationsFor(options) })
    .map(({ amount, source, destination }): Statement => ({
      kind: "send",
      amount,
      source: options.forInterpreter === true ? source : acceptable(source, amount),
      destination,
      range,
    }));
  const save = fc
    .record({ amount, account: fc.constantFrom(...HOLDERS).map(accountExpression) })
    .map((fields): Statement => ({ kind: "save", ...fields, range }));
  return options.withSave === true
    ? fc.oneof({ weight: 3, arbitrary: send }, { weight: 1, arbitrary: save })
    : send;
}

/** Scripts of a few statements over the same few accounts. */
export const movements = (options: MovementOptions = {}): fc.Arbitrary<Movement> =>
  fc.record({
    program: fc
      .array(statementsFor(options), { minLength: 1, maxLength: 4 })
      .map((statements) => ({ features: [], variables: [], statements })),
    balances: fc.record(Object.fromEntries(HOLDERS.map((name) => [name, balancesOf]))),
  });

/** Makes a source acceptable for the machine: no account twice in a list, and no unbounded source before the last one. */
function acceptable(source: Source, amount: Amount): Source {
  const isAll = amount.kind === "all";
  if (source.kind === "allotment" && !isAll) {
    const branches = source.branches.map((branch) => ({
      ...branch,
      source: bounded(branch.source, { mayBeUnbounded: true, seen: new Set() }),
    }));
    return { ...source, branches };
  }
  const single: Source =
    source.kind === "allotment"
      ? { kind: "inOrder", sources: source.branches.map((branch) => branch.source), range }
      : source;
  return bounded(single, { mayBeUnbounded: !isAll, seen: new Set() });
}

function bounded(
  source: Source,
  { mayBeUnbounded, seen }: { mayBeUnbounded: boolean; seen: Set<string> },
): Source {
  switch (source.kind) {
    case "account": {
      const name = nameOf(source.account);
      const isUnbounded = name === WORLD || source.overdraft?.kind === "unbounded";
      const isRepeated = seen.has(name);
      seen.add(name);
      // Under a cap, the machine accepts a repeated account and an unbounded one.
      return isRepeated || (isUnbounded && !mayBeUnbounded)
        ? { kind: "max", cap: monetary(7n), source, range }
        : source;
    }
    case "max":
      return {
        ...source,
        source: bounded(source.source, { mayBeUnbounded: true, seen: new Set() }),
      };
    case "inOrder": {
      const last = source.sources.length - 1;
      const sources = source.sources.map((member, index) =>
        bounded(member, { mayBeUnbounded: mayBeUnbounded && index === last, seen }),
      );
      return { ...source, sources };
    }
    case "oneOf":
    case "allotment":
    case "scaling":
      return source;
  }
}

/** The name of an account literal. */
export function nameOf(account: Expression): string {
  const [name] = account.kind === "account" ? account.pieces : [];
  if (typeof name !== "string") throw new Error("generated accounts are literals");
  return name;
}
