import type { Output } from "#numscript/values/run.ts";

export interface FundingPart {
  readonly account: string;
  /** Never negative. */
  readonly amount: bigint;
}

/** Drawn money of one asset, in the order of its sources. Accounts that gave zero are included. */
export type Funding = readonly FundingPart[];

export const totalOf = (funding: Funding): bigint =>
  funding.reduce((sum, { amount }) => sum + amount, 0n);

/** Joins two fundings. If the first ends with the account that the second begins with, these parts become one. */
export function concatenate(first: Funding, second: Funding, output: Output): Funding {
  output.spend(first.length);
  const all = [...first];
  append(all, second, output);
  return all;
}

/** `concatenate` that appends to a list of the caller instead of a copy. */
export function append(list: FundingPart[], more: Funding, output: Output): void {
  output.spend(more.length);
  for (const [index, part] of more.entries()) {
    const last = list.at(-1);
    if (index === 0 && last?.account === part.account) {
      list[list.length - 1] = { account: part.account, amount: last.amount + part.amount };
    } else list.push(part);
  }
}

export interface Split {
  readonly taken: Funding;
  readonly rest: Funding;
  /** The missing amount, if the funding has too little. */
  readonly short: bigint;
}

/**
 * Takes an amount from the front of a funding. Parts of zero before the last needed part are taken, too; parts of zero after
 * it are not. If the amount is zero or less, nothing is taken.
 */
export function split(funding: Funding, amount: bigint, output: Output): Split {
  output.spend(funding.length);
  const taken: FundingPart[] = [];
  let short = amount;
  for (const [index, part] of funding.entries()) {
    if (short <= 0n) return { taken, rest: funding.slice(index), short };
    if (part.amount > short) {
      const { account } = part;
      taken.push({ account, amount: short });
      const excess = { account, amount: part.amount - short };
      return { taken, rest: [excess, ...funding.slice(index + 1)], short: 0n };
    }
    taken.push(part);
    short -= part.amount;
  }
  return { taken, rest: [], short };
}

export const reversed = (funding: Funding): Funding => funding.toReversed();
