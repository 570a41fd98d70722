import { evaluate, evaluateAccount, evaluateAmountOf } from "./expressions.ts";
import { asType } from "./functions.ts";
import type { Queue } from "./queue.ts";
import { convertScales } from "./scaling.ts";
import { divideAmount, refuseNegative } from "./shares.ts";
import { fail, type RunState } from "./state.ts";
import { FEATURES } from "#numscript/features.ts";
import type { Expression, Source } from "#numscript/syntax/ast.ts";
import { ScriptError } from "#numscript/syntax/diagnostics.ts";
import type { Range } from "#numscript/syntax/source.ts";
import { stepsOf } from "#numscript/values/run.ts";
import { WORLD } from "#numscript/values/values.ts";

/** The context of a `send`. */
export interface Transfer {
  readonly state: RunState;
  /** The asset without the color that a source may add. */
  readonly asset: string;
  /** The range of the amount, for errors about refused postings. */
  readonly place: Range;
  readonly queue: Queue;
}

/** The demand on a source: at most an amount, or all that it has. */
export type Need = bigint | "all";

/** Pulls an amount from a source. Throws "missing-funds" if the source has less. */
export function pullExactly(transfer: Transfer, source: Source, amount: bigint): void {
  const pulled = pull(transfer, source, amount);
  if (pulled === amount) return;
  const { asset } = transfer;
  const message = `Not enough funds. Needed [${asset} ${amount}] (only [${asset} ${pulled}] available)`;
  const { range } = source;
  throw new ScriptError("missing-funds", "missing-funds", { message, range });
}

/** Pulls as much as a source can give, up to the need, and returns the amount. A need is never negative. */
export function pull(transfer: Transfer, source: Source, need: Need): bigint {
  const { state, asset } = transfer;
  state.output.spend(1);
  switch (source.kind) {
    case "account":
      return pullAccount(transfer, source, need);
    case "max": {
      const cap = positive(evaluateAmountOf(state, asset, source.cap));
      return pull(transfer, source.source, need === "all" || cap < need ? cap : need);
    }
    case "inOrder":
      return pullInOrder(transfer, source.sources, need);
    case "oneOf":
      state.require(FEATURES.oneOf, source.range);
      return pullOneOf(transfer, source.sources, need);
    case "allotment":
      return pullShares(transfer, source, need);
    case "scaling": {
      const account = convertScales(transfer, source, need);
      return pullBounded(transfer, { account, asset, limit: 0n }, need);
    }
  }
}

/** Pulls from an account. The account is `world` by its name, also if a variable names it. */
function pullAccount(
  transfer: Transfer,
  { account, color, overdraft, range }: Extract<Source, { kind: "account" }>,
  need: Need,
): bigint {
  const { state } = transfer;
  const limit =
    overdraft?.kind === "upTo" ? evaluateAmountOf(state, transfer.asset, overdraft.limit) : 0n;
  const name = evaluateAccount(state, account);
  const asset = coloredAsset(state, transfer.asset, color);
  if (name !== WORLD && overdraft?.kind !== "unbounded") {
    return pullBounded(transfer, { account: name, asset, limit: positive(limit) }, need);
  }
  if (need === "all") {
    return fail("send-all-unbounded", "cannot take all balance from an unbounded source", range);
  }
  return push(transfer, { account: name, asset }, need);
}

/** Pulls from an account with a limit: it gives at most its balance plus the allowed overdraft. */
function pullBounded(
  transfer: Transfer,
  { account, asset, limit }: { account: string; asset: string; limit: bigint },
  need: Need,
): bigint {
  const available = positive(transfer.state.balances.get(account, asset) + limit);
  const amount = need === "all" || available < need ? available : need;
  return push(transfer, { account, asset }, amount);
}

function push(
  { state, queue }: Transfer,
  { account, asset }: { account: string; asset: string },
  amount: bigint,
): bigint {
  if (amount === 0n) return amount;
  state.balances.change(account, asset, -amount);
  queue.push({ account, asset, amount });
  return amount;
}

/** Pulls from sources in order. Every source is evaluated, even for a need of zero, so that errors in it are reported. */
function pullInOrder(transfer: Transfer, sources: readonly Source[], need: Need): bigint {
  let pulled = 0n;
  for (const source of sources) {
    pulled += pull(transfer, source, need === "all" ? need : need - pulled);
  }
  return pulled;
}

/**
 * Pulls from the first source that gives the whole need, or else from the last source. Money of sources before it is
 * returned. Conversions of precisions are not undone, because they are postings already.
 */
function pullOneOf(transfer: Transfer, sources: readonly Source[], need: Need): bigint {
  const { state, queue } = transfer;
  const mark = queue.mark;
  let pulled = 0n;
  for (const source of sources) {
    for (const { account, asset, amount } of queue.undo(mark)) {
      state.output.spend(1);
      state.balances.change(account, asset, amount);
    }
    pulled = pull(transfer, source, need);
    if (need === "all" || pulled === need) break;
  }
  return pulled;
}

/** Pulls from the branches of an allotment, each of which must give its part. */
function pullShares(
  transfer: Transfer,
  source: Extract<Source, { kind: "allotment" }>,
  need: Need,
): bigint {
  if (need === "all") {
    const message = "cannot take all balance of an allotment source";
    return fail("send-all-allotment", message, source.range);
  }
  const parts = divideAmount(transfer.state, need, source);
  for (const [index, branch] of source.branches.entries()) {
    const part = parts[index] ?? 0n;
    // With a negative part, the other branches would have to give more than the need.
    if (part < 0n) refuseNegative(branch.share.range);
    pullExactly(transfer, branch.source, part);
  }
  return need;
}

/** An asset with a color, which becomes a part of its name: `USD/2` with the color `RED` is `USD_RED/2`. */
export function coloredAsset(state: RunState, asset: string, color: Expression | undefined) {
  if (color === undefined) return asset;
  state.require(FEATURES.assetColors, color.range);
  const { text } = asType(evaluate(state, color), "string", color.range);
  if (!COLOR.test(text)) {
    const message = `Invalid color name: '${text}'. Only uppercase letters are allowed.`;
    fail("invalid-color", message, color.range);
  }
  if (text === "") return asset;
  state.output.spend(stepsOf(text));
  const slash = asset.indexOf("/");
  const end = slash === -1 ? asset.length : slash;
  return `${asset.slice(0, end)}_${text}${asset.slice(end)}`;
}

const COLOR = /^[A-Z]*$/;

const positive = (amount: bigint): bigint => (amount > 0n ? amount : 0n);
