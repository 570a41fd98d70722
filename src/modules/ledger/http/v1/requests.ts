import type { z } from "@hono/zod-openapi";
import { accountFilter, logFilter, transactionFilter } from "./filters.ts";
import type {
  AccountListQuery,
  BalanceListQuery,
  LogListQuery,
  TransactionListQuery,
} from "./schemas.ts";
import { parseAccount } from "#ledger-engine";
import { listName, splitList } from "#modules/ledger/http/requests.ts";
import { WriteIdParams } from "#modules/ledger/wire/schemas.ts";
import { AppError } from "#platform/errors.ts";
import { type ListRules, toPageQuery } from "#platform/http/index.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

interface ListRequest<Q> {
  readonly ledger: string;
  readonly query: Q;
  readonly settings: PlatformSettings;
}

const BY_ID = { columns: { id: "integer" }, column: "id", order: "desc" } as const;
const BY_ADDRESS = { columns: { address: "text" }, column: "address", order: "asc" } as const;

/** The page of transactions that a request asks for. Transactions always show their volumes. */
export const toTransactionPage = (
  request: ListRequest<z.output<typeof TransactionListQuery>>,
): PageQuery =>
  toPage("v1/transactions", request, {
    rules: BY_ID,
    where: transactionFilter,
    expand: ["volumes", ...splitList(request.query.expand)],
  });

export const toAccountPage = (request: ListRequest<z.output<typeof AccountListQuery>>): PageQuery =>
  behind(
    request.query.after,
    toPage("accounts", request, {
      rules: BY_ADDRESS,
      where: accountFilter,
      expand: splitList(request.query.expand),
    }),
  );

export const toBalancePage = (request: ListRequest<z.output<typeof BalanceListQuery>>): PageQuery =>
  behind(
    request.query.after,
    toPage("v1/balances", request, { rules: BY_ADDRESS, where: accountFilter }),
  );

export const toLogPage = (request: ListRequest<z.output<typeof LogListQuery>>): PageQuery =>
  toPage("v1/logs", request, { rules: BY_ID, where: logFilter });

/** Expansions of answers that always show balances. */
export const VOLUMES_IMPLIED = { volumes: true, areImplied: true } as const;

type PageParameters = Pick<
  z.output<typeof AccountListQuery>,
  "cursor" | "pagination_token" | "pageSize" | "page_size" | "pit" | "oot"
>;

interface PageParts<Q> {
  readonly rules: ListRules;
  readonly where: (query: Q) => string | undefined;
  readonly expand?: readonly string[];
}

/** The page of a list that a request asks for. A list that differs from that of version 2 has cursors of its own. */
function toPage<Q extends Partial<PageParameters>>(
  name: string,
  { ledger, query, settings }: ListRequest<Q>,
  { rules, where, expand }: PageParts<Q>,
): PageQuery {
  return toPageQuery(
    {
      cursor: query.cursor ?? query.pagination_token,
      pageSize: query.pageSize ?? query.page_size,
      pit: query.pit,
      oot: query.oot,
      where: where(query),
      ...(expand === undefined ? {} : { expand }),
    },
    { ...rules, list: listName(ledger, name) },
    settings,
  );
}

/** The first character of addresses in byte order. */
const ADDRESS_CHARACTER_FIRST = "-";

/** Starts a list of addresses behind one of them. A cursor has its own start, and its request no other parameters. */
function behind(address: string | undefined, page: PageQuery): PageQuery {
  if (address === undefined || page.kind !== "column" || page.start !== undefined) return page;
  // A page starts at its key. No address sorts between an address and the same one with this character appended.
  const value = `${parseAccount(address, "after")}${ADDRESS_CHARACTER_FIRST}`;
  return { ...page, start: { value } };
}

/** Reads the id of a transaction. Throws `NOT_FOUND` for a text that is none. */
export function parseTransactionId(text: string): number {
  const id = WriteIdParams.shape.id.safeParse(text);
  if (id.success) return id.data;
  throw new AppError("NOT_FOUND", "invalid transaction ID");
}
