import { describe, expect, test } from "vitest";
import {
  type Move,
  reversePostings,
  runPostings,
  runRevert,
  type VolumeReader,
  volumesBefore,
} from "#ledger-engine/rules/postings.ts";
import type { Posting } from "#ledger-engine/rules/types.ts";
import { posting, refusalOf, volumeTexts } from "#test/support/ledger-engine/fixtures.ts";

/** A ledger with the given balances, such as `{"a USD": 100n}`. */
const holding = (balances: Record<string, bigint> = {}): VolumeReader => ({
  volumes: (account, asset) => {
    const balance = balances[`${account} ${asset}`] ?? 0n;
    return balance < 0n ? { input: 0n, output: -balance } : { input: balance, output: 0n };
  },
});

const run = (postings: Posting[], reader = holding(), force = false): string[] =>
  volumeTexts(runPostings(postings, reader, { force }));

const refusal = (postings: Posting[], reader = holding()): string =>
  refusalOf(() => runPostings(postings, reader, { force: false }));

describe("postings", () => {
  test("postings take from the world without limit and add up volumes", () => {
    expect(run([posting("world -> a", 100), posting("a -> b", 30)])).toEqual([
      "world USD 0/100",
      "a USD 100/30",
      "b USD 30/0",
    ]);
  });

  test("postings run in order: credits of the same transaction count, debts in between are refused", () => {
    const [enter, leave] = [posting("world -> a", 100), posting("a -> b", 100)];
    expect(refusal([enter, leave])).toBe("none");
    expect(refusal([leave, enter])).toBe("INSUFFICIENT_FUND");
  });

  test("postings may take exactly what is there, and not one more", () => {
    const reader = holding({ "a USD": 100n });
    expect(refusal([posting("a -> b", 60), posting("a -> b", 40)], reader)).toBe("none");
    expect(refusal([posting("a -> b", 60), posting("a -> b", 41)], reader)).toBe(
      "INSUFFICIENT_FUND",
    );
  });

  test("postings check each asset on its own", () => {
    const reader = holding({ "a USD": 100n });
    expect(refusal([posting("a -> b", 1, "EUR")], reader)).toBe("INSUFFICIENT_FUND");
    expect(refusal([posting("a -> b", 1, "USD/2")], reader)).toBe("INSUFFICIENT_FUND");
  });

  test("postings of zero are accepted from an account in debt, others are not", () => {
    const reader = holding({ "a USD": -5n });
    expect(run([posting("a -> b", 0)], reader)).toEqual(["a USD 0/5", "b USD 0/0"]);
    expect(refusal([posting("a -> b", 1)], reader)).toBe("INSUFFICIENT_FUND");
  });

  test("postings let only the account named exactly world go below zero", () => {
    expect(refusal([posting("world:x -> a", 1)])).toBe("INSUFFICIENT_FUND");
    expect(refusal([posting("World -> a", 1)])).toBe("INSUFFICIENT_FUND");
  });

  test("postings let every source go below zero when forced", () => {
    expect(run([posting("a -> b", 7), posting("a -> c", 1)], holding(), true)).toEqual([
      "a USD 0/8",
      "b USD 7/0",
      "c USD 1/0",
    ]);
  });

  test("postings from an account to itself let input and output grow, and need the funds", () => {
    const reader = holding({ "a USD": 10n });
    expect(run([posting("a -> a", 10)], reader)).toEqual(["a USD 20/10"]);
    expect(refusal([posting("a -> a", 11)], reader)).toBe("INSUFFICIENT_FUND");
    expect(run([posting("world -> world", 3)])).toEqual(["world USD 3/3"]);
  });

  test("postings keep amounts of any size exact", () => {
    const huge = 10n ** 40n + 1n;
    expect(run([posting("world -> a", huge), posting("a -> b", huge - 1n)])).toContain(
      `a USD ${huge}/${huge - 1n}`,
    );
  });

  test("postings give one move for each account and asset, with the volumes before it and its roles", () => {
    const moves = runPostings(
      [posting("world -> a", 5), posting("a -> b", 5), posting("world -> a", 1, "EUR")],
      holding({ "a USD": 2n }),
      { force: false },
    );
    const roles = moves.map(({ account, asset, before, isSource, isDestination }: Move) => [
      `${account} ${asset}`,
      before.input,
      isSource,
      isDestination,
    ]);
    expect(roles).toEqual([
      ["world USD", 0n, true, false],
      ["a USD", 2n, true, true],
      ["b USD", 0n, false, true],
      ["world EUR", 0n, true, false],
      ["a EUR", 0n, false, true],
    ]);
  });

  test("postings name the account, the wanted and the available amount when they are refused", () => {
    expect(() =>
      runPostings([posting("users:1 -> b", 8)], holding({ "users:1 USD": 3n }), { force: false }),
    ).toThrow("account(s) @users:1 had/have insufficient funds: 8 USD wanted, 3 available");
  });
});

describe("a revert", () => {
  test("a revert reverses the order and the direction", () => {
    const postings = [posting("world -> a", 100), posting("a -> b", 30, "EUR")];
    expect(reversePostings(postings)).toEqual([
      posting("b -> a", 30, "EUR"),
      posting("a -> world", 100),
    ]);
  });

  const passThrough = reversePostings([posting("world -> a", 100), posting("a -> b", 100)]);

  test("a revert checks the net result only: an account that money passed through may be empty", () => {
    const reader = holding({ "b USD": 100n });
    expect(refusalOf(() => runRevert(passThrough, reader, { force: false }))).toBe("none");
    const backwards = passThrough.toReversed();
    expect(refusalOf(() => runRevert(backwards, reader, { force: false }))).toBe("none");
  });

  test("a revert is refused when an account would end below zero, unless forced", () => {
    const reader = holding({ "b USD": 99n });
    expect(() => runRevert(passThrough, reader, { force: false })).toThrow(
      "insufficient fund for b/USD",
    );
    expect(volumeTexts(runRevert(passThrough, reader, { force: true }))).toEqual([
      "b USD 99/100",
      "a USD 100/100",
      "world USD 100/0",
    ]);
  });

  test("a revert may leave the world below zero", () => {
    const postings = reversePostings([posting("a -> world", 5)]);
    expect(refusalOf(() => runRevert(postings, holding(), { force: false }))).toBe("none");
  });
});

describe("volumes before a transaction", () => {
  test("volumes before a transaction are those after it without its own postings", () => {
    const postings = [posting("world -> a", 100), posting("a -> a", 7), posting("a -> b", 30)];
    const moves = runPostings(postings, holding({ "a USD": 4n }), { force: false });
    expect(volumeTexts(volumesBefore(moves, postings))).toEqual([
      "world USD 0/0",
      "a USD 4/0",
      "b USD 0/0",
    ]);
  });
});
