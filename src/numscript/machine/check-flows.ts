import { portionOf, refuse, typeOf, type VariableTypes } from "./types.ts";
import {
  type Destination,
  type Expression,
  type KeptOrDestination,
  literalAccount,
  type Share,
  type Source,
  type SourceBranch,
} from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";
import { compare, type Fraction, ONE, PortionSum } from "#numscript/values/portions.ts";
import { WORLD } from "#numscript/values/values.ts";

/** The facts about a source that are known before a run. */
interface SourceInfo {
  /**
   * Whether the source gives any amount: it is `@world`, has an unbounded overdraft, or is a list whose last source gives any
   * amount.
   */
  readonly isUnbounded: boolean;
  /** The accounts that the source empties, by the text of the script. */
  readonly emptied: ReadonlySet<string>;
}

export function checkSendSource(
  source: Source,
  types: VariableTypes,
  { isAll }: { isAll: boolean },
): void {
  if (source.kind === "allotment") {
    if (isAll) {
      const message = "cannot take all balance of an allotment source";
      refuse("send-all-allotment", message, source.range);
    }
    checkShares(source.branches, types, source.range);
    for (const branch of source.branches) checkSource(branch.source, types);
    return;
  }
  const { isUnbounded } = checkSource(source, types);
  if (isAll && isUnbounded) {
    const message = "cannot take all balance of an unbounded source";
    refuse("send-all-unbounded", message, source.range);
  }
}

function checkSource(source: Source, types: VariableTypes): SourceInfo {
  switch (source.kind) {
    case "account":
      return checkAccountSource(source, types);
    case "max":
      assertCap(source.cap, types);
      checkSource(source.source, types);
      return { isUnbounded: false, emptied: new Set() };
    case "inOrder":
      return checkInOrder(source.sources, types);
    case "oneOf":
    case "allotment":
    case "scaling":
      // The grammar of the machine does not accept these sources here.
      return refuse("unexpected-token", "the machine has no such source", source.range);
  }
}

function checkAccountSource(
  { account, overdraft }: Extract<Source, { kind: "account" }>,
  types: VariableTypes,
): SourceInfo {
  if (typeOf(account, types) !== "account") {
    const message = "wrong type: expected account or allocation as destination";
    refuse("type-mismatch", message, account.range);
  }
  const isWorld = literalAccount(account) === WORLD;
  if (isWorld && overdraft !== undefined) {
    const message = "@world is already set to an unbounded overdraft";
    refuse("overdraft-on-world", message, overdraft.range);
  }
  if (overdraft?.kind === "upTo" && typeOf(overdraft.limit, types) !== "monetary") {
    refuse("type-mismatch", "wrong type: expected monetary", overdraft.limit.range);
  }
  return {
    isUnbounded: isWorld || overdraft?.kind === "unbounded",
    emptied: new Set([printAccount(account)]),
  };
}

/** Checks a list of sources, which may name an account only once. No source may follow one that gives any amount. */
function checkInOrder(sources: readonly Source[], types: VariableTypes): SourceInfo {
  const emptied = new Set<string>();
  let isUnbounded = false;
  for (const [index, source] of sources.entries()) {
    const info = checkSource(source, types);
    isUnbounded = info.isUnbounded;
    if (isUnbounded && index < sources.length - 1) {
      const message = "an unbounded subsource can only be in last position";
      refuse("unreachable-source", message, source.range);
    }
    for (const account of info.emptied) {
      if (emptied.has(account)) {
        refuse("emptied-account", `${account} is already empty at this stage`, source.range);
      }
      emptied.add(account);
    }
  }
  return { isUnbounded, emptied };
}

/** The text of an account. Equal variables, and equal literals, are the same account. */
function printAccount(account: Expression): string {
  return account.kind === "variable" ? `$${account.name}` : `@${literalAccount(account) ?? ""}`;
}

export function checkDestination(destination: Destination, types: VariableTypes): void {
  switch (destination.kind) {
    case "account":
      if (typeOf(destination.account, types) !== "account") {
        const message = "wrong type: expected account as destination";
        refuse("type-mismatch", message, destination.range);
      }
      return;
    case "inOrder":
    case "oneOf":
      for (const clause of destination.clauses) {
        assertCap(clause.cap, types);
        checkKeptOrDestination(clause.target, types);
      }
      checkKeptOrDestination(destination.remaining, types);
      return;
    case "allotment":
      checkShares(destination.branches, types, destination.range);
      for (const branch of destination.branches) checkKeptOrDestination(branch.target, types);
      return;
  }
}

function checkKeptOrDestination(target: KeptOrDestination, types: VariableTypes): void {
  if (target.kind === "to") checkDestination(target.destination, types);
}

function assertCap(cap: Expression, types: VariableTypes): void {
  if (typeOf(cap, types) !== "monetary") {
    refuse("type-mismatch", "wrong type: expected monetary as max", cap.range);
  }
}

type Branch = Pick<SourceBranch, "share">;

/** Checks shares: they are literals that add up to one, or `remaining` and other shares whose literals are below one together. */
function checkShares(branches: readonly Branch[], types: VariableTypes, range: Range): void {
  const sum = new PortionSum();
  let hasVariable = false;
  let hasRemaining = false;
  for (const { share } of branches) {
    if (share.kind === "remaining") {
      if (hasRemaining) {
        const message = "two uses of `remaining` in the same allocation";
        refuse("duplicate-remaining", message, share.range);
      }
      hasRemaining = true;
      continue;
    }
    const known = staticShare(share, types);
    if (known === undefined) hasVariable = true;
    else if (!sum.add(known)) {
      refuse("limit-exceeded", "the portions have too many digits", share.range);
    }
  }
  assertSum(sum.total, { hasVariable, hasRemaining }, range);
}

/** The value of a literal share; undefined for a variable, which must be a portion. */
function staticShare(
  { expression }: Extract<Share, { kind: "portion" }>,
  types: VariableTypes,
): Fraction | undefined {
  if (expression.kind === "percentage" || expression.kind === "fraction") {
    return portionOf(expression);
  }
  const type = typeOf(expression, types);
  if (type !== "portion") {
    const message = `wrong type: expected type portion for variable: ${type}`;
    refuse("type-mismatch", message, expression.range);
  }
  return undefined;
}

function assertSum(
  sum: Fraction,
  { hasVariable, hasRemaining }: { hasVariable: boolean; hasRemaining: boolean },
  range: Range,
): void {
  const order = compare(sum, ONE);
  if (order > 0) {
    refuse("portions-above-one", "the sum of known portions is greater than 100%", range);
  }
  if (order === 0 && hasVariable) {
    const message = "the sum of portions might be greater than 100%";
    refuse("portions-may-differ-from-one", message, range);
  }
  if (order === 0 && hasRemaining) {
    refuse("redundant-remaining", "known portions are already equal to 100%", range);
  }
  if (order < 0 && !hasRemaining) {
    const message = "the sum of portions might be less than 100%";
    refuse(hasVariable ? "portions-may-differ-from-one" : "portions-below-one", message, range);
  }
}
