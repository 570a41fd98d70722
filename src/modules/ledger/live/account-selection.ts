import {
  ADDRESS_LENGTH_MAX,
  addressMatcher,
  type AddressPattern,
  exactAddress,
  parseAddressPattern,
} from "#ledger-engine";

const PATTERN = /^(?:(?:[a-zA-Z0-9_-]+|\*)?:)*(?:[a-zA-Z0-9_-]+|\*|\.\.\.)?$/;

/** Parses a pattern of accounts in the form of filters, where `*` stands for any segment, too; undefined for any other text. */
export function parseAccountPattern(text: string): AddressPattern | undefined {
  if (text === "" || text.length > ADDRESS_LENGTH_MAX || !PATTERN.test(text)) return undefined;
  return parseAddressPattern(text.replaceAll("*", ""));
}

/** The accounts of a stream: those that match one of its patterns, or all. */
export class AccountSelection {
  /** Undefined for all accounts, and for changes that concern no account. */
  readonly patterns: readonly AddressPattern[] | undefined;
  readonly #exact: ReadonlySet<string>;
  readonly #matchers: readonly ((address: string) => boolean)[];

  constructor(patterns: readonly AddressPattern[] | undefined) {
    this.patterns = patterns;
    const exact = (patterns ?? []).map(exactAddress);
    this.#exact = new Set(exact.filter((address) => address !== undefined));
    this.#matchers = (patterns ?? [])
      .filter((_pattern, index) => exact[index] === undefined)
      .map(addressMatcher);
  }

  wants(account: string): boolean {
    if (this.patterns === undefined || this.#exact.has(account)) return true;
    return this.#matchers.some((matches) => matches(account));
  }

  /** The values of wanted accounts in a map by account. */
  valuesOf<V>(byAccount: ReadonlyMap<string, V>): V[] {
    if (this.patterns === undefined) return [...byAccount.values()];
    if (this.#matchers.length > 0) {
      return [...byAccount].flatMap(([account, value]) => (this.wants(account) ? [value] : []));
    }
    const found: V[] = [];
    for (const account of this.#exact) {
      const value = byAccount.get(account);
      if (value !== undefined) found.push(value);
    }
    return found;
  }
}
