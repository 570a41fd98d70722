import { append, concatenate, type Funding, type FundingPart, split, totalOf } from "./fundings.ts";
import { isUnbounded, type MachineState, stop } from "./state.ts";
import type { Source } from "#numscript/syntax/ast.ts";
import { ScriptError } from "#numscript/syntax/diagnostics.ts";
import type { Range } from "#numscript/syntax/source.ts";
import type { Monetary } from "#numscript/values/values.ts";

/** All the money of a source, and its unbounded account, which gives missing amounts, if there is one. */
export interface Drawn {
  readonly funding: Funding;
  readonly fallback?: string;
}

/** Draws everything that the accounts of a source can give. */
export function draw(state: MachineState, source: Source, asset: string): Drawn {
  state.output.spend(1);
  switch (source.kind) {
    case "account":
      return drawAccount(state, source, asset);
    case "max":
      return { funding: drawCapped(state, source, asset) };
    case "inOrder": {
      const all: FundingPart[] = [];
      let fallback: Omit<Drawn, "funding"> = {};
      for (const member of source.sources) {
        const { funding, ...rest } = draw(state, member, asset);
        append(all, funding, state.output);
        fallback = rest;
      }
      return { funding: all, ...fallback };
    }
    case "oneOf":
    case "allotment":
    case "scaling":
      return stop("type-mismatch", "the machine has no such source here", source.range);
  }
}

/** Takes exactly this amount from a source, and repays the rest of the drawn money. */
export function pull(
  state: MachineState,
  source: Source,
  { asset, amount }: Omit<Monetary, "type">,
): Funding {
  const { funding, fallback } = draw(state, source, asset);
  if (fallback === undefined) {
    const { taken, rest } = take(state, funding, { amount, range: source.range });
    state.repay(rest, asset);
    return taken;
  }
  assertNotNegative(amount, asset, source.range);
  return fill(state, { funding, fallback }, { asset, amount });
}

/**
 * Takes an amount from the front of a funding. If the amount is zero, the first account gives zero, which makes a
 * posting of zero. Throws for missing funds.
 */
export function take(
  state: MachineState,
  funding: Funding,
  { amount, range }: { amount: bigint; range: Range },
): { taken: Funding; rest: Funding } {
  const { taken, rest, short } = split(funding, amount, state.output);
  if (short !== 0n) {
    const named = funding.slice(0, NAMED_MAX).map(({ account }) => `@${account}`);
    const accounts = funding.length > NAMED_MAX ? [...named, "…"].join("|") : named.join("|");
    const message = `account(s) ${accounts} had/have insufficient funds`;
    throw new ScriptError("missing-funds", "missing-funds", { message, range });
  }
  const [first] = funding;
  if (amount !== 0n || first === undefined) return { taken, rest };
  return { taken: [{ account: first.account, amount: 0n }], rest: funding };
}

/** The most accounts that a message names. */
const NAMED_MAX = 20;

export function assertNotNegative(amount: bigint, asset: string, range: Range): void {
  if (amount >= 0n) return;
  const message = `cannot send a monetary with a negative amount: [${asset} ${amount}]`;
  stop("negative-amount", message, range);
}

export function assertSameAsset(asset: string, other: string, range: Range): void {
  if (asset === other) return;
  stop("asset-mismatch", `cannot take from different assets: ${asset} and ${other}`, range);
}

/** Draws from an account. A bounded account gives its balance plus the allowed overdraft, and is at its limit then. */
function drawAccount(
  state: MachineState,
  source: Extract<Source, { kind: "account" }>,
  asset: string,
): Drawn {
  const account = state.account(source.account);
  if (isUnbounded(source)) return { funding: [{ account, amount: 0n }], fallback: account };
  const { overdraft } = source;
  const limit = overdraft?.kind === "upTo" ? state.monetary(overdraft.limit) : undefined;
  const balance = state.balance(account, limit?.asset ?? asset);
  if (balance === undefined) {
    const message = `missing ${limit?.asset ?? asset} balance from @${account}`;
    return stop("asset-mismatch", message, source.range);
  }
  if (limit !== undefined) assertSameAsset(asset, limit.asset, source.range);
  const amount = balance + (limit?.amount ?? 0n);
  if (amount <= 0n) return { funding: [{ account, amount: 0n }] };
  state.change(account, asset, -amount);
  return { funding: [{ account, amount }] };
}

function drawCapped(
  state: MachineState,
  { cap, source }: Extract<Source, { kind: "max" }>,
  asset: string,
): Funding {
  const drawn = draw(state, source, asset);
  const limit = state.monetary(cap);
  assertSameAsset(asset, limit.asset, cap.range);
  assertNotNegative(limit.amount, asset, cap.range);
  return fill(state, drawn, { asset, amount: limit.amount });
}

/** Takes at most an amount from drawn money, and repays the rest. A fallback adds the missing amount, even if it is zero. */
function fill(
  state: MachineState,
  { funding, fallback }: Drawn,
  { asset, amount }: Omit<Monetary, "type">,
): Funding {
  const { taken, rest } = split(funding, amount, state.output);
  state.repay(rest, asset);
  if (fallback === undefined) return taken;
  const missing = amount - totalOf(funding);
  const added = missing > 0n ? missing : 0n;
  state.change(fallback, asset, -added);
  return concatenate(taken, [{ account: fallback, amount: added }], state.output);
}
