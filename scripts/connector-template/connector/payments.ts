import { notWritten } from "./client.ts";
import type { FetchRequest, PaymentPage } from "#modules/payments/connectors/contract.ts";
import type { ApiClient } from "#modules/payments/connectors/kit/client.ts";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";

/** What the provider calls the states of payments; all others are `OTHER`. Each row has a case in the tests. */
export const STATUSES: Readonly<Record<string, PaymentStatus>> = {};

export async function fetchPayments(
  _client: ApiClient,
  _request: FetchRequest,
): Promise<PaymentPage> {
  throw notWritten("FETCH_PAYMENTS");
}
