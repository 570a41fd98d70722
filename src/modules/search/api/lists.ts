import { readApi } from "./read-api.ts";
import type { Kind } from "#modules/search/core/kinds.ts";
import type { ApiObject } from "#modules/search/core/objects.ts";
import type { ServiceContext } from "#platform/context.ts";

/** The kinds that have a list of the whole deployment: all but those of ledgers. */
export type ListedKind = Exclude<Kind, "TRANSACTION" | "ACCOUNT" | "ASSET">;

/** The paths of lists. An object is below its list, under its id; only webhook configs are not. */
const LISTS: Readonly<Record<ListedKind, string>> = {
  PAYMENT: "/api/payments/v3/payments",
  PAYMENT_ACCOUNT: "/api/payments/v3/accounts",
  PAYMENT_INITIATION: "/api/payments/v3/payment-initiations",
  BANK_ACCOUNT: "/api/payments/v3/bank-accounts",
  POOL: "/api/payments/v3/pools",
  WALLET: "/api/wallets/wallets",
  WORKFLOW: "/api/orchestration/v2/workflows",
  INSTANCE: "/api/orchestration/v2/instances",
  TRIGGER: "/api/orchestration/v2/triggers",
  WEBHOOK: "/api/webhooks/configs",
};

const PAGE_SIZE = 100;

/** A page of a list, and the cursor of the next one; null at the end. */
export interface ObjectPage {
  readonly objects: readonly ApiObject[];
  readonly next: string | null;
}

/** Reads an object in the name of the context's principal; undefined if it does not exist or the principal may not read it. */
export async function readObject(
  context: ServiceContext,
  kind: ListedKind,
  id: string,
): Promise<ApiObject | undefined> {
  const body = await readApi(context, `${LISTS[kind]}/${encodeURIComponent(id)}`);
  return (body as { data: ApiObject } | undefined)?.data; // the API's envelope
}

/** Reads a page of a list; an empty cursor stands for the first one. Undefined if the principal may not read the list. */
export async function readList(
  context: ServiceContext,
  kind: ListedKind,
  cursor: string,
): Promise<ObjectPage | undefined> {
  const params = cursor === "" ? { pageSize: `${PAGE_SIZE}` } : { cursor };
  // Webhook configs are one page, and their list takes no parameters of pages.
  const query = kind === "WEBHOOK" ? "" : `?${new URLSearchParams(params).toString()}`;
  const body = await readApi(context, `${LISTS[kind]}${query}`);
  if (body === undefined) return undefined;
  const { cursor: page } = body as { cursor: CursorBody }; // the API's envelope
  const next =
    page.hasMore === true && page.next !== undefined && page.next !== "" ? page.next : null;
  return { objects: page.data, next };
}

interface CursorBody {
  readonly data: readonly ApiObject[];
  readonly hasMore?: boolean;
  readonly next?: string;
}
