import { z } from "zod";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import type { ApiClient } from "#modules/payments/connectors/kit/client.ts";
import {
  Date3339,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";
import { stringifyJson } from "#platform/json.ts";

/** The page to ask for next; absent at the beginning of the list. */
const State = z.object({ page: z.int().min(1).default(1) });

const Account = z.object({ id: Text, name: OptionalText, createdAt: Date3339 });

/** The accounts. Each run reads the list from its beginning; accounts that are known stay as they are. */
export async function fetchAccounts(
  client: ApiClient,
  { state, pageSize }: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
  const { page } = State.parse(state ?? {});
  const query = { page, pageSize };
  const values = await client.read({ path: "/accounts", query }, z.array(z.unknown()), "accounts");
  const hasMore = values.length === pageSize;
  return {
    items: values.map(toAccount),
    state: hasMore ? { page: page + 1 } : undefined,
    hasMore,
  };
}

function toAccount(value: unknown): ProviderAccount {
  const { id, name, createdAt } = parseObject(Account, value, "an account");
  return {
    reference: id,
    ...(name === undefined ? {} : { name }),
    createdAt,
    metadata: {},
    raw: stringifyJson(value),
  };
}
