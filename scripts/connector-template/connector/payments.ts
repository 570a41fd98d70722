import { notWritten } from "./client.ts";
import type * as kit from "#modules/payments/connectors/kit/index.ts";

/** The provider's names for states of payments; all others are `OTHER`. Each row has a case in the tests. */
export const STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {};

export async function fetchPayments(
  _client: kit.ApiClient,
  _request: kit.FetchRequest,
): Promise<kit.PaymentPage> {
  throw notWritten("FETCH_PAYMENTS");
}
