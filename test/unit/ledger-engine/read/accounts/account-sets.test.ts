import { describe, expect, test } from "vitest";
import { AccountSet, type AddressTest } from "#ledger-engine/read/accounts/account-sets.ts";
import {
  addressMatcher,
  parseAddressPattern,
} from "#ledger-engine/rules/filters/address-pattern.ts";
import { likeMatcher } from "#platform/filter/like.ts";
import { create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";

const LONG = "l".repeat(60);

const ledger = new TestLedger();
const addresses = Array.from({ length: 250 }, (_, index) =>
  index % 60 === 0 ? `a:${index}:rare` : `a:${index}:main:${index % 2}`,
);
addresses.push(`a:${LONG}:rare`, "a:7:rare:more", "b:1:rare");
for (let from = 0; from < addresses.length; from += 50) {
  const part = addresses.slice(from, from + 50);
  ledger.commit(create(part.map((address) => posting(`world -> ${address}`, 1))));
}
const rows = ledger.sql.all<{ id: number; address: string }>("SELECT id, address FROM account");

const pattern = (text: string): [string, AddressTest, (address: string) => boolean] => {
  const parsed = parseAddressPattern(text);
  return [text, { kind: "address", key: "account", patterns: [parsed] }, addressMatcher(parsed)];
};
const like = (text: string): [string, AddressTest, (address: string) => boolean] => [
  text,
  { kind: "addressLike", key: "account", pattern: text },
  likeMatcher(text),
];

describe("the accounts that pass a test among many", () => {
  test.each([
    pattern("a::rare"),
    pattern("::rare"),
    pattern("a::rare:..."),
    pattern(":7:main:"),
    pattern(`a:${LONG}:`),
    pattern("a:[0-9]:"),
    pattern("a:::"),
    like("%:rare"),
    like("a:%:m_re"),
    like("%[07]%"),
    like("%:main:1"),
  ])("all accounts that pass %s are found", (_, wanted, matches) => {
    const expected = rows.filter(({ address }) => matches(address)).map(({ id }) => id);
    const set = new AccountSet(ledger.sql, wanted);
    const found = [...set.pages()].flat();
    expect(found.toSorted((a, b) => a - b)).toEqual(expected.toSorted((a, b) => a - b));
  });

  test("the accounts that pass a test among many are known where there are few of them, and not where there are many", () => {
    const [, few] = pattern("::rare");
    const [, many] = like("%:main:%");
    expect(new AccountSet(ledger.sql, few).knownIds).toHaveLength(7);
    expect(new AccountSet(ledger.sql, many).knownIds).toBeUndefined();
  });
});
