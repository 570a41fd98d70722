import { expect } from "vitest";
import type { FetchRequest, Movement, Plugin } from "#modules/payments/connectors/contract.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import { present } from "#platform/assert.ts";
import { madeBy } from "#test/support/payments/conformance/orders.ts";
import { type Conformance, openBench } from "#test/support/payments/conformance/subject.ts";
import { fetchAll, NOW } from "#test/support/payments/plugins.ts";
import type { FakePsp } from "#test/support/psp/fake-psp.ts";

/** Helpers for tests of several connectors, about their providers and plugins. */

/** An account of a connector of which only the reference matters. */
export const accountOf = (reference: string): ProviderAccount => ({
  reference,
  createdAt: NOW,
  metadata: {},
  raw: "{}",
});

/** A provider and a plugin, with a function that fetches the payments of one account from a state on. */
export function openPayments<P extends FakePsp>(subject: Conformance<P>, parent: ProviderAccount) {
  const { psp, plugin } = openBench(subject);
  const fetchPayments = present(plugin.fetchPayments, "it fetches payments");
  const run = (state?: unknown) =>
    fetchAll((request: FetchRequest) => fetchPayments({ ...request, parent }), { state });
  return { psp, plugin, run };
}

/** A provider, and the operations of a plugin for users of open banking. */
export function openUsers<P extends FakePsp>(subject: Conformance<P>) {
  const { psp, plugin } = openBench(subject);
  return { psp, users: present(plugin.users, "it has users") };
}

/** Returns a function that makes a movement at a new provider, whose answer has the given members. */
export const making =
  <P extends FakePsp & { answered: object }>(subject: Conformance<P>) =>
  (asked: Movement, answered: Readonly<Record<string, unknown>> = {}) => {
    const bench = openBench(subject);
    bench.psp.answered = answered;
    return madeBy(bench, asked);
  };

/** Asserts that a call is refused, and that the provider gets no request for it. */
export async function assertRefused(
  psp: FakePsp,
  call: Promise<unknown> | undefined,
  message: string,
): Promise<void> {
  await expect(call).rejects.toMatchObject({ kind: "invalid" });
  await expect(call).rejects.toThrow(message);
  expect(psp.requests).toEqual([]);
}

/** Asserts that a movement is refused, and that the provider gets no request for it. */
export function assertMovementRefused(
  { psp, plugin }: { readonly psp: FakePsp; readonly plugin: Plugin },
  asked: Movement,
  message: string,
): Promise<void> {
  const create = asked.type === "PAYOUT" ? plugin.createPayout : plugin.createTransfer;
  return assertRefused(psp, create?.(asked), message);
}
