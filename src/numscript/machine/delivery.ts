import { concatenate, type Funding, reversed, split, totalOf } from "./fundings.ts";
import { assertNotNegative, assertSameAsset, take } from "./sources.ts";
import type { MachineState } from "./state.ts";
import type { CappedDestination, Destination, KeptOrDestination } from "#numscript/syntax/ast.ts";

/** A funding of one asset that is delivered. */
interface Delivery {
  readonly funding: Funding;
  readonly asset: string;
}

/** Delivers a funding to a destination, and returns the part that the destination did not take. */
export function deliver(
  state: MachineState,
  destination: Destination,
  delivery: Delivery,
): Funding {
  state.output.spend(1);
  switch (destination.kind) {
    case "account":
      return deliverToAccount(state, destination, delivery);
    case "allotment":
      return deliverShares(state, destination, delivery);
    case "inOrder":
    case "oneOf":
      return deliverInOrder(state, destination, delivery);
  }
}

/** Makes a posting for each part of the funding, also for parts of zero. */
function deliverToAccount(
  state: MachineState,
  { account, range }: Extract<Destination, { kind: "account" }>,
  { funding, asset }: Delivery,
): Funding {
  const destination = state.account(account);
  const { taken, rest } = take(state, funding, { amount: totalOf(funding), range });
  for (const { account: source, amount } of taken) {
    state.output.post({ source, destination, asset, amount });
    state.change(destination, asset, amount);
  }
  return rest;
}

/** Delivers by shares. Kept money goes back to the front of the funding, so that later shares use the earliest sources. */
function deliverShares(
  state: MachineState,
  { branches, range }: Extract<Destination, { kind: "allotment" }>,
  { funding, asset }: Delivery,
): Funding {
  const parts = state.divide(
    totalOf(funding),
    branches.map(({ share }) => share),
  );
  let left = funding;
  for (const [index, { target }] of branches.entries()) {
    const { taken, rest } = take(state, left, { amount: parts[index] ?? 0n, range });
    left = concatenate(deliverTo(state, target, { funding: taken, asset }), rest, state.output);
  }
  return left;
}

/**
 * Delivers to clauses in order, up to their caps. Money that clauses keep goes back to the front of the funding. Before the
 * remaining money is delivered, the kept total is taken from the back instead, so that the last sources keep it.
 */
function deliverInOrder(
  state: MachineState,
  { clauses, remaining, range }: CappedDestination,
  { funding, asset }: Delivery,
): Funding {
  let keptTotal = 0n;
  let left = funding;
  for (const { cap, target } of clauses) {
    const limit = state.monetary(cap);
    assertSameAsset(asset, limit.asset, cap.range);
    assertNotNegative(limit.amount, asset, cap.range);
    const { taken, rest } = split(left, limit.amount, state.output);
    const kept = deliverTo(state, target, { funding: taken, asset });
    keptTotal += totalOf(kept);
    left = concatenate(kept, rest, state.output);
  }
  const { taken, rest } = take(state, reversed(left), { amount: keptTotal, range });
  const sent = deliverTo(state, remaining, { funding: reversed(rest), asset });
  return concatenate(sent, reversed(taken), state.output);
}

const deliverTo = (state: MachineState, target: KeptOrDestination, delivery: Delivery): Funding =>
  target.kind === "kept" ? delivery.funding : deliver(state, target.destination, delivery);
