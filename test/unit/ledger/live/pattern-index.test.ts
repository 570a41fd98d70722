import * as fc from "fast-check";
import { expect, test } from "vitest";
import { addressMatcher } from "#ledger-engine";
import { AccountSelection, parseAccountPattern } from "#modules/ledger/live/account-selection.ts";
import { PatternIndex } from "#modules/ledger/live/pattern-index.ts";
import { present } from "#platform/assert.ts";

const pattern = (text: string) => present(parseAccountPattern(text), text);

const segment = fc.constantFrom("a", "b", "c1");
const anAddress = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join(":"));
const aPattern = fc
  .tuple(
    fc.array(fc.oneof(segment, fc.constantFrom("", "*")), { minLength: 1, maxLength: 4 }),
    fc.boolean(),
  )
  .map(([segments, isOpen]) => [...segments, ...(isOpen ? ["..."] : [])].join(":"))
  .filter((text) => text !== "");

test("the index of patterns finds the patterns that the matcher of filters finds, also after some were deleted", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(aPattern, { maxLength: 12 }),
      fc.uniqueArray(anAddress, { maxLength: 8 }),
      fc.nat(11),
      (texts, addresses, deleted) => {
        const index = new PatternIndex<string>();
        for (const text of texts) index.add(pattern(text), text);
        for (const text of texts.slice(0, deleted)) index.delete(pattern(text), text);
        const left = texts.slice(deleted);
        for (const address of addresses) {
          const found = new Set<string>();
          index.match(address, (value) => found.add(value));
          const wanted = left.filter((text) => addressMatcher(pattern(text))(address));
          expect([...found].toSorted()).toEqual(wanted.toSorted());
        }
      },
    ),
  );
});

test("a selection of accounts finds the accounts of a map that it wants", () => {
  fc.assert(
    fc.property(
      fc.array(aPattern, { maxLength: 4 }),
      fc.uniqueArray(anAddress, { maxLength: 8 }),
      (texts, addresses) => {
        const selection = new AccountSelection(texts.map(pattern));
        const byAccount = new Map(addresses.map((address) => [address, address]));
        const wanted = addresses.filter((address) => selection.wants(address));
        expect(selection.valuesOf(byAccount).toSorted()).toEqual(wanted.toSorted());
      },
    ),
  );
});

test.each(["", "a b", "a:...:b", "a:b*", "...:a", "a..", `${"a:".repeat(200)}a`])(
  "the text %j is no pattern of accounts",
  (text) => {
    expect(parseAccountPattern(text)).toBeUndefined();
  },
);
