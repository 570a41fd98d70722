import { readApi } from "./read-api.ts";
import type { ApiObject } from "#modules/search/core/objects.ts";
import type { ServiceContext } from "#platform/context.ts";
import { stringifyJson } from "#platform/json.ts";

/** The kinds that are in lists of their ledgers: path of the list, and the member that names an object. */
const LISTS = {
  TRANSACTION: { path: "transactions", key: "id" },
  ACCOUNT: { path: "accounts", key: "address" },
} as const;

const pathOf = (ledger: string): string => `/api/ledger/v2/${encodeURIComponent(ledger)}`;

/** Reads objects of a ledger in the name of the context's principal, by their keys. Those that do not exist or may not be read are left out. */
export async function readLedgerObjects(
  context: ServiceContext,
  { kind, ledger }: { readonly kind: keyof typeof LISTS; readonly ledger: string },
  keys: readonly string[],
): Promise<Map<string, ApiObject>> {
  const { path, key } = LISTS[kind];
  const filter =
    kind === "ACCOUNT"
      ? { $in: { [key]: keys } }
      : { $or: keys.map((id) => ({ $match: { [key]: BigInt(id) } })) };
  const query = stringifyJson(filter);
  const params = new URLSearchParams({ pageSize: `${keys.length}`, query });
  const body = await readApi(context, `${pathOf(ledger)}/${path}?${params.toString()}`);
  if (body === undefined) return new Map();
  const { data } = (body as { cursor: { data: readonly ApiObject[] } }).cursor; // the API's envelope
  return new Map(data.map((object) => [`${object[key] as string | number | bigint}`, object]));
}

/** Whether the principal may read a ledger, and the ledger exists. */
export const mayReadLedger = async (context: ServiceContext, ledger: string): Promise<boolean> =>
  (await readApi(context, pathOf(ledger))) !== undefined;
