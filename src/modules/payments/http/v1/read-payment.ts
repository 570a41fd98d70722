import { toPaymentV1View } from "./payment-schemas.ts";
import { decodePaymentId } from "#modules/payments/core/ids.ts";
import { getPayment } from "#modules/payments/payments/get.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** A payment in version 1 of the API, for other modules. Throws `NOT_FOUND`, also for a text that is no id. */
export async function readPaymentV1(context: Pick<ServiceContext, "env">, text: string) {
  const id = decodePaymentId(text);
  if (id === undefined) throw new AppError("NOT_FOUND", `'${text}' is not the id of a payment`);
  return toPaymentV1View(await getPayment(context, id));
}
