import { notWritten } from "./client.ts";
import type * as kit from "#modules/payments/connectors/kit/index.ts";

/** The balances of the account that is the parent of the request. */
export async function fetchBalances(
  _client: kit.ApiClient,
  _request: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  throw notWritten("FETCH_BALANCES");
}
