import { describe, expect, test } from "vitest";
import { api } from "#test/support/platform/api.ts";
import { dataOf } from "#test/support/reconciliation/books.ts";
import { type LineView, newMatching } from "#test/support/reconciliation/matchings.ts";

describe("a run", () => {
  test("collects both sources, matches them, and is shown with what it has done", async () => {
    const matching = await newMatching();
    await matching.book(["left", "right"], "order-0001");
    await matching.book(["left"], "order-0002", { amount: 777n });
    await matching.book(["right"], "order-0003", { amount: 888n });
    expect(await matching.run()).toMatchObject({
      id: 1,
      state: "done",
      phase: "",
      collected: { left: 2, right: 2 },
      matched: 1,
      proposed: 0,
      open: 2,
    });
    const [group] = await matching.groups();
    expect(group).toMatchObject({ id: 1, state: "matched", pass: "end-to-end id", left: 1 });
    expect(await dataOf(await api(`${matching.path}/groups/1`))).toMatchObject({
      evidence: {
        keys: [{ left: "endToEndId", right: "endToEndId", text: "order0001" }],
        sums: [{ asset: "EUR/2", left: 1000, right: 1000 }],
        days: 0,
      },
      left: { count: 1, lines: [{ ledger: matching.ledgers.left, account: "bank" }] },
      decisions: [],
    });
    const open = await matching.lines("state=unmatched");
    expect(open.map(({ side, breakClass }: LineView) => [side, breakClass])).toEqual([
      ["right", "missing_left"],
      ["left", "missing_right"],
    ]);
  });
});
