import type { ActivityRequest } from "./activities.ts";
import { isObject } from "./fields.ts";

/** Links from the timeline to the objects of other modules that an activity has made or read. */
export function linksOf(
  request: ActivityRequest,
  output: unknown,
): Readonly<Record<string, unknown>> {
  const made = isObject(output) ? output : {};
  switch (request.name) {
    case "CreateTransaction":
      return { ledger: request.input.ledger, transaction: made["id"] };
    case "CreateTransferInitiation":
      return { paymentInitiation: made["id"] };
    case "GetPayment":
      return { payment: request.input.id };
    case "CreditWallet":
    case "DebitWallet":
      return { wallet: request.input.id, ledger: made["ledger"], transaction: made["id"] };
    case "GetWallet":
      return { wallet: request.input.id };
    default:
      return {};
  }
}
