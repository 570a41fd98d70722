import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The page to request next; absent at the beginning of the list. */
const State = z.object({ page: z.int().min(1).default(1) });

const Account = z.object({ id: kit.Text, name: kit.OptionalText, createdAt: kit.Date3339 });

/** The accounts. Each run reads the list from its beginning; accounts that are already stored stay as they are. */
export async function fetchAccounts(
  client: kit.ApiClient,
  { state, pageSize }: kit.FetchRequest,
): Promise<kit.AccountsPage> {
  const { page } = State.parse(state ?? {});
  const query = { page, pageSize };
  const values = await client.read({ path: "/accounts", query }, z.array(z.unknown()), "accounts");
  const hasMore = values.length === pageSize;
  return {
    ...kit.readEach(values, toAccount),
    state: hasMore ? { page: page + 1 } : undefined,
    hasMore,
  };
}

function toAccount(value: unknown): kit.ProviderAccount {
  const { id, name, createdAt } = kit.parseObject(Account, value, "an account");
  return {
    reference: id,
    ...kit.given({ name }),
    createdAt,
    metadata: {},
    raw: kit.rawOf(value),
  };
}
