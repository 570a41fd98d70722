import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { WALLET_BODY } from "./bodies.ts";
import { PageParams, toListRequest, nameCursors } from "./lists.ts";
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
import {
  type AppEnv,
  dataOf,
  deploymentOf,
  empty,
  endpoint,
  errors,
  json,
  ok,
  operations,
  registration,
} from "#platform/http/index.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Wallets"];
const LIST = "transactions";
/** The fields of movements that the list of failed requests may show. */
const RECORDED_FIELDS = [
  "amount.amount",
  "amount.asset",
  "reference",
  "balance",
  "balances",
  "pending",
];

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
      recordedFields: RECORDED_FIELDS,
      ...WALLET_BODY,
      responses: {
        201: json("The hold of a pending debit", dataOf(HoldResponse)),
        204: empty("Debited"),
        ...errors(409, 415),
      },
    },
    async ({ params, headers, body: { amount, ...body }, context }) => {
      const { hold } = await debitWallet(context, {
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

const movements = operations({ tags: TAGS, scope: "wallets" });

export const registerMovements = registration(
  movements.post("/wallets/{walletID}/credit", {
    operationId: "creditWallet",
    summary: "Move money into a wallet",
    description:
      "Nobody checks that the wallet exists, unless a balance is named: the money is then on an account that no wallet shows.",
    params: WalletParams,
    headers: KeyHeaders,
    body: CreditRequest,
    recordedFields: RECORDED_FIELDS,
    ...WALLET_BODY,
    answer: ok.empty("Credited"),
    errors: [409, 415],
    handle: ({ params, headers, body: { amount, ...body }, context }) =>
      creditWallet(context, {
        ...body,
        ...amount,
        walletId: params.walletID,
        idempotencyKey: headers["idempotency-key"],
      }),
  }),
  registerDebit,
  movements.get("/transactions", {
    operationId: "getTransactions",
    summary: "List the transactions of wallets",
    description: "The newest first.",
    query: PageParams.extend({
      walletID: z.string().optional().openapi({
        description: "Only the transactions that have touched this wallet's main balance.",
      }),
    }),
    answer: ok.page("A page of transactions", TransactionResponse),
    handle: async ({ query, context, c }) => {
      const { settings } = deploymentOf(c);
      const { list: _, ...page } = toListRequest([LIST], query, settings);
      const found = await listMovements(context, { ...page, walletId: query.walletID });
      const { FLORIN_WALLETS_LEDGER: ledger } = walletSettings.of(context.env);
      const shown = mapPage(found, (transaction) => toTransactionView(transaction, ledger));
      return nameCursors(LIST, shown);
    },
  }),
);
