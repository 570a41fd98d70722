import type { Movement, Plugin } from "#modules/payments/connectors/contract.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { present } from "#platform/assert.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import type { FakePsp, PspRequest } from "#test/support/psp/fake-psp.ts";

/** Calls `add` `count` times; returns the references. */
export const many = (count: number, add: () => string): string[] =>
  Array.from({ length: count }, add);

/** A movement of 10.50 for the rent, changed by the given members. */
export const movementOf = (
  type: Movement["type"],
  fields: Pick<Movement, "source" | "destination" | "asset"> & Partial<Movement>,
): Movement => ({
  type,
  reference: "order-1",
  createdAt: NOW,
  description: "rent",
  amount: 1050n,
  metadata: {},
  ...fields,
});

/** The payment that a plugin makes of a movement, and the last request that the plugin sends for it. */
export async function madeBy(
  { psp, plugin }: { readonly psp: FakePsp; readonly plugin: Plugin },
  asked: Movement,
): Promise<{ readonly payment: ProviderPayment; readonly request: PspRequest }> {
  const create = asked.type === "PAYOUT" ? plugin.createPayout : plugin.createTransfer;
  const result = await create?.(asked);
  if (result === undefined || !("payment" in result)) throw new Error("it makes a payment");
  return { payment: result.payment, request: present(psp.requests.at(-1), "it asks") };
}

/** A movement that is refused, with the message of the refusal. */
export type RefusedOrder = [asked: Movement, message: string];

/** Variants of a movement, each without a member that every movement needs. */
export function incompleteOrders(movement: Movement): RefusedOrder[] {
  const { source: _source, ...sourceless } = movement;
  const { destination: _destination, ...destinationless } = movement;
  return [
    [sourceless, "source account is required in transfer/payout request"],
    [destinationless, "destination account is required in transfer/payout request"],
    [{ ...movement, amount: 0n }, "amount must be positive"],
  ];
}

/** Variants of a movement with descriptions that no bank can print on a statement. */
export const unwritableOrders = (movement: Movement): RefusedOrder[] => [
  [
    { ...movement, description: "a description that is long" },
    "description must have at most 18 characters",
  ],
  [
    { ...movement, description: "rent: March" },
    "description must have letters, digits and spaces only",
  ],
];
