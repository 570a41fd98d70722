import type { AccountPath } from "#ledger-engine/read/accounts/account-paths.ts";
import { walkOf } from "#ledger-engine/read/accounts/account-walks.ts";
import { type AddressRange, addressRanges } from "#ledger-engine/rules/filters/address-pattern.ts";
import type { Order } from "#platform/paging/query.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The group of an address: its first segments, or the whole address if it has no more segments. */
export function groupOf(address: string, segments: number): string {
  let end = -1;
  for (let count = 0; count < segments; count++) {
    end = address.indexOf(":", end + 1);
    if (end === -1) return address;
  }
  return address.slice(0, end);
}

/** The ranges of the addresses of a group. */
export function rangesOfGroup(group: string, segments: number): AddressRange[] {
  const isWhole = group.split(":").length === segments;
  return addressRanges({ segments: group.split(":"), isOpen: isWhole });
}

export interface GroupOrder {
  /** The number of segments that make a group, at least one. */
  readonly segments: number;
  readonly order: Order;
  /** The first group of the walk. It is given even if it does not exist. */
  readonly start: string | undefined;
  /** The path that narrows the accounts, if there is one. */
  readonly path: AccountPath | undefined;
}

/** The most addresses that are read at a time. */
const ADDRESSES_MAX = 1000;

/**
 * Walks the groups of accounts in byte order without reading all accounts of each group (a skip scan). It may give groups
 * that have no accounts.
 *
 * The accounts of a group are not always neighbours. `-` and digits sort before `:`, so that the groups `a-b` and `a1`
 * stand between the account `a` and the accounts below `a:`, although the name `a` comes first. But between the name of a
 * group and any account of the group, there are only texts that begin with the group's name. The groups whose names lie in
 * a stretch of addresses are therefore the groups of these addresses, and groups whose names are prefixes of an end of the
 * stretch:
 *
 *     addresses    a   a-b:1   a1:2   a:5   a:7       groups by name: a, a-b, a1
 *                  └ a └ a-b   └ a1   └──a──┘
 */
export class GroupWalk {
  readonly #sql: Sql;
  readonly #walk: GroupOrder;
  /** The group that was given last. */
  #last: string | undefined;
  /** The address to continue from. */
  #edge: { readonly value: string; readonly inclusive: boolean } | undefined;
  #isStarted = false;
  #isEnded = false;

  constructor(sql: Sql, walk: GroupOrder) {
    this.#sql = sql;
    this.#walk = walk;
  }

  /** The next groups, found in stretches of `accounts` accounts. The list is empty at the end. */
  next(accounts: number): string[] {
    const { start } = this.#walk;
    if (!this.#isStarted && start !== undefined) {
      this.#isStarted = true;
      this.#last = start;
      this.#edge = { value: start, inclusive: false };
      return [start];
    }
    while (!this.#isEnded) {
      const groups = this.#stretch(Math.min(accounts, ADDRESSES_MAX));
      this.#last = groups.at(-1) ?? this.#last;
      if (groups.length > 0) return groups;
    }
    return [];
  }

  /** The groups in the next stretch of addresses. */
  #stretch(limit: number): string[] {
    const { segments, order } = this.#walk;
    const isAscending = order === "asc";
    const addresses = this.#addresses(limit);
    const end = addresses.at(-1);
    this.#isEnded = end === undefined || addresses.length < limit;
    const names = new Set(addresses.map((address) => groupOf(address, segments)));
    // In ascending order, the name of a group may lie in this stretch and its accounts after the stretch. In descending
    // order, the accounts come before the name.
    const edge = isAscending ? end : this.#edge?.value;
    for (const name of edge === undefined ? [] : beginningsOf(edge, segments)) names.add(name);
    if (end !== undefined) this.#edge = this.#behind(end);
    const last = this.#last;
    return [...names]
      .filter((name) => last === undefined || (isAscending ? name > last : name < last))
      .filter((name) => isAscending || this.#isEnded || (end !== undefined && name >= end))
      .toSorted((a, b) => (a < b === isAscending ? -1 : 1));
  }

  #addresses(limit: number): string[] {
    const { order, path } = this.#walk;
    const edge = this.#edge;
    const bound =
      edge === undefined
        ? {}
        : { bound: { key: { value: edge.value }, inclusive: edge.inclusive } };
    return walkOf(this.#sql, { column: "address", order, ...bound }, { fields: [], path })
      .next(limit)
      .map(({ address = "" }) => address);
  }

  /** The position after an address and its neighbours of the same group. */
  #behind(address: string): { value: string; inclusive: boolean } {
    const group = groupOf(address, this.#walk.segments);
    if (group === address) return { value: address, inclusive: false };
    // Skips the addresses below the group: `;` is the character after `:`.
    return this.#walk.order === "asc"
      ? { value: `${group};`, inclusive: true }
      : { value: `${group}:`, inclusive: false };
  }
}

/**
 * The names of groups that are prefixes of a text, have the full number of segments, and may have accounts after the
 * text.
 */
function beginningsOf(text: string, segments: number): string[] {
  const group = groupOf(text, segments);
  const begin = group.lastIndexOf(":") + 1;
  if (group.split(":").length < segments) return [];
  const names: string[] = [];
  for (let end = begin + 1; end <= group.length; end++) {
    const next = text[end];
    if (next !== undefined && next <= ":") names.push(text.slice(0, end));
  }
  return names;
}
