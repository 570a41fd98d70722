import { describe, expect, it } from "vitest";
import { Books, outcomeOf } from "#scripts/demo/books.ts";
import { planDay } from "#scripts/demo/day.ts";
import { type Commit, type Plan, type Posting, stepsOf } from "#scripts/demo/plan.ts";

const plan = planDay(2026);

describe("the demo's plan", () => {
  it("the demo's plan is the same for the same seed and another one for another seed", () => {
    expect(planDay(2026)).toEqual(plan);
    expect(planDay(2027)).not.toEqual(plan);
  });

  it("the demo's plan has about 2,000 transactions of every kind", () => {
    const { transactions, reverts } = outcomeOf(plan);
    expect(transactions.size + reverts.size).toBeGreaterThan(1900);
    expect(transactions.size + reverts.size).toBeLessThan(2200);
    expect(reverts.size).toBeGreaterThan(40);
    const commits = commitsOf(plan);
    expect(
      commits.filter(({ idempotencyKey }) => idempotencyKey !== undefined).length,
    ).toBeGreaterThan(50);
    expect(commits.filter(({ fate }) => fate === "refused").length).toBeGreaterThan(30);
    expect(commits.filter(({ fate }) => fate === "undone").length).toBeGreaterThan(0);
    const amounts = [...transactions.values()].flatMap(({ postings }) =>
      postings.map(({ amount }) => amount),
    );
    expect(amounts.filter((amount) => amount > 2n ** 53n).length).toBeGreaterThan(100);
    expect(amounts).toContain(10n ** 30n);
  });

  it("the demo's plan uses no reference and no idempotency key twice", () => {
    const references = commitsOf(plan).map(({ transaction }) => transaction.reference);
    expect(new Set(references).size).toBe(references.length);
  });

  it("the demo's plan makes overdrafts where it means to and nowhere else, in whatever order a phase is played", () => {
    const outcome = outcomeOf(plan);
    const books = new Books();
    for (const { phases } of plan.hours) {
      for (const requests of phases) {
        const steps = requests.flatMap((request) =>
          request.via === "single" ? [request.step] : request.steps,
        );
        const commits = steps.filter((step) => step.kind === "commit");
        const kept = commits
          .filter(({ fate }) => fate === "kept")
          .flatMap(({ transaction }) => transaction.postings);
        // In the worst order, everything is spent before anything comes in.
        for (const [account, asset, spent] of spendings(kept)) {
          expect(books.balance(account, asset)).toBeGreaterThanOrEqual(spent);
        }
        for (const { transaction } of commits.filter(({ fate }) => fate === "refused")) {
          for (const { source, asset, amount } of transaction.postings) {
            expect(amount).toBeGreaterThan(books.balance(source, asset));
          }
        }
        books.post(kept);
        for (const step of steps) {
          if (step.kind === "revert") books.post(outcome.reverts.get(step.reference) ?? []);
        }
      }
    }
  });

  it("the demo's plan moves money and makes none", () => {
    const { books } = outcomeOf(plan);
    const sums = new Map<string, bigint>();
    for (const account of books.accounts()) {
      for (const [asset] of books.volumes(account)) {
        sums.set(asset, (sums.get(asset) ?? 0n) + books.balance(account, asset));
      }
    }
    expect([...sums.keys()].toSorted()).toEqual([
      "BTC/8",
      "ETH/18",
      "EUR/2",
      "JPY",
      "STAR/18",
      "USD/2",
    ]);
    expect([...sums.values()].every((sum) => sum === 0n)).toBe(true);
  });
});

const commitsOf = (plan: Plan): Commit[] =>
  [...stepsOf(plan)].filter((step) => step.kind === "commit");

/** The amounts that each account spends of each asset. The outside world is left out, because it may spend any amount. */
function spendings(postings: readonly Posting[]): [string, string, bigint][] {
  const books = new Books();
  books.post(postings.filter(({ source }) => source !== "world"));
  return books
    .accounts()
    .flatMap((account) =>
      [...books.volumes(account)].map(([asset, { output }]): [string, string, bigint] => [
        account,
        asset,
        output,
      ]),
    );
}
