import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { WALLET_BODY } from "./bodies.ts";
import { PageParams, toListRequest, toListView } from "./lists.ts";
import {
  CreditRequest,
  DebitRequest,
  HoldResponse,
  KeyHeaders,
  TransactionResponse,
} from "./schemas.ts";
import { toHoldView, toTransactionView } from "./views.ts";
import { WalletParams } from "./wallets.ts";
import { creditWallet } from "#modules/wallets/movements/credit.ts";
import { debitWallet } from "#modules/wallets/movements/debit.ts";
import { listMovements } from "#modules/wallets/movements/list.ts";
import { walletSettings } from "#modules/wallets/settings.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Wallets"];
const LIST = "transactions";

export function registerMovements(app: OpenAPIHono<AppEnv>): void {
  registerCredit(app);
  registerDebit(app);
  registerList(app);
}

function registerCredit(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/wallets/{walletID}/credit",
      operationId: "creditWallet",
      summary: "Move money into a wallet",
      description:
        "Nobody checks that the wallet exists, unless a balance is named: the money is then on an account that no wallet shows.",
      tags: TAGS,
      scope: "wallets:write",
      params: WalletParams,
      headers: KeyHeaders,
      body: CreditRequest,
      ...WALLET_BODY,
      responses: { 204: empty("Credited"), ...errors(409, 415) },
    },
    async ({ params, headers, body: { amount, ...body }, c }) => {
      await creditWallet(c.get("context"), {
        ...body,
        ...amount,
        walletId: params.walletID,
        idempotencyKey: headers["idempotency-key"],
      });
      return { status: 204 };
    },
  );
}

function registerDebit(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/wallets/{walletID}/debit",
      operationId: "debitWallet",
      summary: "Move money out of a wallet, or into a hold",
      description:
        "Balances that have expired are left out. With an idempotency key, balances that may expire and `*` are refused: a repetition could take from others.",
      tags: TAGS,
      scope: "wallets:write",
      params: WalletParams,
      headers: KeyHeaders,
      body: DebitRequest,
      ...WALLET_BODY,
      responses: {
        201: json("The hold of a pending debit", dataOf(HoldResponse)),
        204: empty("Debited"),
        ...errors(409, 415),
      },
    },
    async ({ params, headers, body: { amount, ...body }, c }) => {
      const { hold } = await debitWallet(c.get("context"), {
        ...body,
        ...amount,
        walletId: params.walletID,
        idempotencyKey: headers["idempotency-key"],
      });
      if (hold === undefined) return { status: 204 };
      return { status: 201, body: { data: toHoldView(hold) } };
    },
  );
}

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/transactions",
      operationId: "getTransactions",
      summary: "List the transactions of wallets",
      description: "The newest first.",
      tags: TAGS,
      scope: "wallets:read",
      query: PageParams.extend({
        walletID: z.string().optional().openapi({
          description: "Only the transactions that have touched this wallet's main balance.",
        }),
      }),
      responses: { 200: json("A page of transactions", cursorOf(TransactionResponse)) },
    },
    async ({ query, c }) => {
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const { list: _, ...page } = toListRequest([LIST], query, settings);
      const found = await listMovements(context, { ...page, walletId: query.walletID });
      const { FLORIN_WALLETS_LEDGER: ledger } = walletSettings.of(context.env);
      const shown = mapPage(found, (transaction) => toTransactionView(transaction, ledger));
      return { status: 200, body: toListView(LIST, shown) };
    },
  );
}
