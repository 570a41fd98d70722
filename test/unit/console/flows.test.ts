import { describe, expect, test } from "vitest";
import { type FlowPosting, flowsOf } from "#console/parts/graphs/flows.ts";

const posting = (
  [source, destination]: readonly [string, string],
  amount: number | bigint,
  asset = "EUR/2",
): FlowPosting => ({ source, destination, amount, asset });

describe("who paid whom", () => {
  test("each asset is a flow, and postings between the same accounts are one link", () => {
    const flows = flowsOf([
      posting(["world", "a"], 10),
      posting(["world", "a"], 2n ** 70n),
      posting(["a", "b"], 5, "USD/2"),
    ]);
    expect(flows.map(({ asset, links }) => ({ asset, links }))).toEqual([
      { asset: "EUR/2", links: [{ source: "world", destination: "a", amount: 2n ** 70n + 10n }] },
      { asset: "USD/2", links: [{ source: "a", destination: "b", amount: 5n }] },
    ]);
  });

  test("an account in the middle knows what it received and what it sent", () => {
    const [flow] = flowsOf([posting(["world", "a"], 10), posting(["a", "b"], 4)]);
    expect(flow?.nodes.find(({ id }) => id === "a")).toMatchObject({ received: 10n, sent: 4n });
    expect(flow?.hasCycle).toBe(false);
  });

  test.each([
    [[posting(["a", "a"], 1)]],
    [[posting(["world", "a"], 1), posting(["a", "b"], 1), posting(["b", "a"], 1)]],
  ])("money that comes back is a circle", (postings) => {
    expect(flowsOf(postings)[0]?.hasCycle).toBe(true);
  });

  test("of many accounts, those that move most have a place, and the rest is one node for each side", () => {
    const [flow] = flowsOf(
      Array.from({ length: 100 }, (_, index) => posting(["world", `users:${index}`], index + 1)),
    );
    expect(flow?.nodes).toHaveLength(11);
    expect(flow?.nodes.find(({ address }) => address === undefined)).toMatchObject({
      accounts: 91,
      received: 4186n,
      sent: 0n,
    });
  });

  test("accounts without a place never make a circle", () => {
    const chain = Array.from({ length: 60 }, (_, index) =>
      posting([`users:${index}`, `users:${index + 1}`], 1),
    );
    expect(flowsOf(chain)[0]?.hasCycle).toBe(false);
  });

  test("around an account, another one that pays and is paid stands on both sides", () => {
    const [flow] = flowsOf(
      [posting(["a", "me"], 5), posting(["me", "a"], 2), posting(["me", "me"], 1)],
      "me",
    );
    expect(flow?.hasCycle).toBe(false);
    expect(flow?.nodes.map(({ address, received, sent }) => [address, received, sent])).toEqual([
      ["a", 0n, 5n],
      ["me", 5n, 2n],
      ["a", 2n, 0n],
    ]);
  });
});
