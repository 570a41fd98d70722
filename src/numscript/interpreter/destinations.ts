import { evaluateAccount, evaluateAmountOf } from "./expressions.ts";
import { divideAmount, refuseNegative } from "./shares.ts";
import type { Transfer } from "./sources.ts";
import { FEATURES } from "#numscript/features.ts";
import type { CappedDestination, Destination, KeptOrDestination } from "#numscript/syntax/ast.ts";

type Allotment = Extract<Destination, { kind: "allotment" }>;

/** Delivers an amount, which is not negative, from the front of the queue. */
export function deliver(transfer: Transfer, destination: Destination, amount: bigint): void {
  const { state, asset } = transfer;
  state.output.spend(1);
  switch (destination.kind) {
    case "account": {
      const account = evaluateAccount(state, destination.account);
      return receive(transfer, account, amount);
    }
    case "allotment":
      return deliverShares(transfer, destination, amount);
    case "inOrder":
      return deliverInOrder(transfer, destination, amount);
    case "oneOf": {
      state.require(FEATURES.oneOf, destination.range);
      const { clauses, remaining } = destination;
      const clause = clauses.find(({ cap }) => evaluateAmountOf(state, asset, cap) >= amount);
      return deliverTo(transfer, clause?.target ?? remaining, amount);
    }
  }
}

const deliverTo = (transfer: Transfer, target: KeptOrDestination, amount: bigint): void =>
  target.kind === "kept"
    ? receive(transfer, undefined, amount)
    : deliver(transfer, target.destination, amount);

/** Moves money to an account or, without an account, back to its sources. */
function receive(
  { state, queue, place }: Transfer,
  account: string | undefined,
  amount: bigint,
): void {
  let missing = amount;
  while (missing > 0n) {
    state.output.spend(1);
    const piece = queue.take(missing);
    if (piece === undefined) throw new Error("what is delivered was pulled");
    missing -= piece.amount;
    state.balances.change(account ?? piece.account, piece.asset, piece.amount);
    if (account === undefined) continue;
    const { account: source, asset, amount } = piece;
    state.post({ source, destination: account, asset, amount }, place);
  }
}

/**
 * Delivers the parts in order. Invariant: together they get the amount, and no part goes back. If the shares exceed one, the
 * first shares get their parts until the amount is used up, and later shares get nothing. The part of `remaining` is then
 * negative, which is accepted if nothing is left when its turn comes.
 */
function deliverShares(transfer: Transfer, destination: Allotment, amount: bigint): void {
  const parts = divideAmount(transfer.state, amount, destination);
  let left = amount;
  for (const [index, { share, target }] of destination.branches.entries()) {
    const part = parts[index] ?? 0n;
    if (part < 0n && !transfer.queue.isEmpty) refuseNegative(share.range);
    const given = part < 0n ? 0n : part < left ? part : left;
    left -= given;
    deliverTo(transfer, target, given);
  }
}

/** Delivers to clauses in order, up to their caps. After the last clause that gets money, one more cap is evaluated. */
function deliverInOrder(
  transfer: Transfer,
  { clauses, remaining }: CappedDestination,
  amount: bigint,
): void {
  let left = amount;
  for (const { cap, target } of clauses) {
    const limit = evaluateAmountOf(transfer.state, transfer.asset, cap);
    if (left === 0n) break;
    const given = limit < left ? limit : left;
    if (given <= 0n) continue;
    deliverTo(transfer, target, given);
    left -= given;
  }
  if (left > 0n) deliverTo(transfer, remaining, left);
}
