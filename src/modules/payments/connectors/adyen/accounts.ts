import { z } from "zod";
import type { AdyenClient } from "./client.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { readEach } from "#modules/payments/connectors/kit/items.ts";
import { OptionalText, parseObject, Text } from "#modules/payments/connectors/kit/objects.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Clock } from "#platform/time.ts";

/** The page to ask for next; absent at the beginning of the list. */
const State = z.object({ page: z.int().min(1).default(1) });

const Merchant = z.object({ id: Text, name: OptionalText });

/**
 * The merchant accounts. The list has no order by time, so that each run reads it from its beginning; accounts that are known stay as they
 * are.
 */
export async function fetchAccounts(
  { client, clock }: { readonly client: AdyenClient; readonly clock: Clock },
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
  const { page } = State.parse(request.state ?? {});
  const { data, pagesTotal } = await client.listMerchants(page, request.pageSize);
  const now = clock();
  const items = readEach(data, (value): ProviderAccount => {
    const { id, name } = parseObject(Merchant, value, "a merchant account");
    return {
      reference: id,
      ...(name === undefined ? {} : { name }),
      // The provider does not say when it was opened.
      createdAt: now,
      metadata: {},
      raw: stringifyJson(value),
    };
  });
  const hasMore = page < pagesTotal;
  return { ...items, state: hasMore ? { page: page + 1 } : undefined, hasMore };
}
