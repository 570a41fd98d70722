import type { AccountPath } from "#ledger-engine/read/accounts/account-paths.ts";
import { walkOf } from "#ledger-engine/read/accounts/account-walks.ts";
import { type AddressRange, addressRanges } from "#ledger-engine/rules/filters/address-pattern.ts";
import type { Order } from "#platform/paging/pagination.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The group of an address: its first segments, or all of it where it has no more. */
export function groupOf(address: string, segments: number): string {
  let end = -1;
  for (let count = 0; count < segments; count++) {
    end = address.indexOf(":", end + 1);
    if (end === -1) return address;
  }
  return address.slice(0, end);
}

/** The ranges of addresses that are in a group. */
export function rangesOfGroup(group: string, segments: number): AddressRange[] {
  const isWhole = group.split(":").length === segments;
  return addressRanges({ segments: group.split(":"), isOpen: isWhole });
}

/** How groups are walked. */
export interface GroupOrder {
  /** So many segments make a group, at least one. */
  readonly segments: number;
  readonly order: Order;
  /** The first group that is given, whether it is there or not. */
  readonly start: string | undefined;
  /** What leaves out accounts, if anything does. */
  readonly path: AccountPath | undefined;
}

/** Addresses that are read at a time. */
const ADDRESSES_MAX = 1000;

/**
 * Goes through the groups of accounts in byte order, without reading all accounts of each. Some that it gives may have
 * none.
 *
 * The accounts of a group do not stand together: `-` and digits sort below `:`, so that the groups `a-b` and `a1` stand
 * between the account `a` and those below `a:`, while as a name the group `a` comes first. What helps is that between a
 * group and an account of it there are only texts that begin with the name of the group. So all groups whose names are in
 * a stretch of addresses are those of the addresses in it, and some that an end of the stretch begins with.
 */
export class GroupWalk {
  readonly #sql: Sql;
  readonly #walk: GroupOrder;
  /** The group that was given last. */
  #last: string | undefined;
  /** The address to go on from. */
  #edge: { readonly value: string; readonly inclusive: boolean } | undefined;
  #isStarted = false;
  #isEnded = false;

  constructor(sql: Sql, walk: GroupOrder) {
    this.#sql = sql;
    this.#walk = walk;
  }

  /** The next groups, as many as a number of accounts has; none at the end. */
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
    // Upwards, a group may begin before the stretch ends, and have its accounts behind; downwards it is the other way round.
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

  /** Behind an address, and behind all other addresses of its group where they stand around it. */
  #behind(address: string): { value: string; inclusive: boolean } {
    const group = groupOf(address, this.#walk.segments);
    if (group === address) return { value: address, inclusive: false };
    // Addresses below the group: `;` is the character behind `:`.
    return this.#walk.order === "asc"
      ? { value: `${group};`, inclusive: true }
      : { value: `${group}:`, inclusive: false };
  }
}

/** The names of groups with all segments that a text begins with, and that have accounts behind it, or might have. */
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
