import { expect, test } from "vitest";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { timeout } from "#test/support/payments/worlds/initiation-world.ts";
import { RestoredWorld } from "#test/support/payments/worlds/restored-world.ts";

type Listed = Partial<ProviderPayment>;
const BOUNCE: Listed = { type: "PAY-IN", reference: "bounce" };
const UNKNOWN: Listed = { type: "OTHER", reference: "unknown" };

/** A deployment that was never a copy. Its call for a payout has no answer, and a page brings payments with the reference of the payout. */
async function openListed(...page: readonly Listed[]) {
  const world = await RestoredWorld.open();
  const id = await world.createApproved({ reference: "x" });
  const calls: string[] = [];
  const plugin = {
    ...world.plugin,
    createPayout: async ({ reference }: { readonly reference: string }) => {
      calls.push(reference);
      return timeout();
    },
  };
  await world.sweep(plugin);
  await world.poll(...page.map((more) => world.listed("x", more)));
  const status = await world.statusOf(id);
  world.pass(7200);
  await world.sweep(plugin);
  return { status, calls: calls.length, payment: world.rows(PAYMENT).map((row) => row["type"]) };
}

const PAYMENT = `SELECT p.type FROM payment_payments AS p
  JOIN payment_initiation_payments AS o ON o.payment_key = p.key`;

test("a payment of a type that the connector does not know settles the payout with its reference", async () => {
  expect(await openListed(UNKNOWN)).toEqual({ status: "PROCESSED", calls: 1, payment: ["OTHER"] });
});

test.each<readonly [string, readonly Listed[]]>([
  ["after a bounce", [BOUNCE, {}]],
  ["before a bounce", [{}, BOUNCE]],
  ["after one of an unknown type", [UNKNOWN, {}]],
])("a payout settles its order %s in the same page", async (_, page) => {
  expect(await openListed(...page)).toEqual({ status: "PROCESSED", calls: 1, payment: ["PAYOUT"] });
});

test("a pay-in settles no payout", async () => {
  expect(await openListed(BOUNCE)).toEqual({ status: "PROCESSING", calls: 2, payment: [] });
});
