import { z } from "zod";
import type { AdyenClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";

/** The page to request next; absent at the beginning of the list. */
const State = z.object({ page: z.int().min(1).default(1) });

const Merchant = z.object({ id: kit.Text, name: kit.OptionalText });

/** The merchant accounts. The list has no order by time, so that each run reads it from its beginning; known accounts stay as they are. */
export async function fetchAccounts(
  { client, clock }: kit.ClientWith<AdyenClient, "clock">,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> {
  const { page } = State.parse(request.state ?? {});
  const { data, pagesTotal } = await client.listMerchants(page, request.pageSize);
  const now = clock();
  const items = kit.readEach(data, (value): kit.ProviderAccount => {
    const { id, name } = kit.parseObject(Merchant, value, "a merchant account");
    return {
      reference: id,
      ...kit.given({ name }),
      // The provider gives no time of opening.
      createdAt: now,
      metadata: {},
      raw: stringifyJson(value),
    };
  });
  const hasMore = page < pagesTotal;
  return { ...items, state: hasMore ? { page: page + 1 } : undefined, hasMore };
}
