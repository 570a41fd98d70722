import { notWritten } from "./client.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import type { ApiClient } from "#modules/payments/connectors/kit/client.ts";
import type { ProviderBalance } from "#modules/payments/connectors/provider-objects.ts";

/** The balances of the account that is the parent of the request. */
export async function fetchBalances(
  _client: ApiClient,
  _request: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  throw notWritten("FETCH_BALANCES");
}
