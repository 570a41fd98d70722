import { z } from "@hono/zod-openapi";
import { WALLET_BODY } from "./bodies.ts";
import { MetadataParams, metadataOf, PageParams, toListRequest, nameCursors } from "./lists.ts";
import {
  BalanceRequest,
  BalanceResponse,
  BalanceWithAssetsResponse,
  KeyHeaders,
} from "./schemas.ts";
import { toBalanceView, toBalanceWithAssetsView } from "./views.ts";
import { WalletParams } from "./wallets.ts";
import { createBalance } from "#modules/wallets/balances/create.ts";
import { getBalance } from "#modules/wallets/balances/get.ts";
import { listBalances } from "#modules/wallets/balances/list.ts";
import { deploymentOf, ok, operations, registration } from "#platform/http/index.ts";

const balances = operations({
  path: "/wallets/{walletID}/balances",
  params: WalletParams,
  tags: ["Wallet balances"],
  scope: "wallets",
});
const LIST = "balances";

export const registerBalances = registration(
  balances.post("", {
    operationId: "createBalance",
    summary: "Create a balance",
    description: "The name, expiry and priority of a balance never change.",
    headers: KeyHeaders,
    body: BalanceRequest,
    ...WALLET_BODY,
    answer: ok.created("The balance", BalanceResponse, toBalanceView),
    errors: [409, 415],
    handle: ({ params, headers, body, context }) =>
      createBalance(context, {
        ...body,
        walletId: params.walletID,
        idempotencyKey: headers["idempotency-key"],
      }),
  }),
  balances.get("", {
    operationId: "listBalances",
    summary: "List the balances of a wallet",
    description: "Balances are in the order of their names. An unknown wallet has none.",
    query: PageParams.extend(MetadataParams.shape).loose(),
    answer: ok.page("A page of balances", BalanceResponse, toBalanceView),
    handle: async ({ params, query, context, c }) => {
      const { settings } = deploymentOf(c);
      const { list: _, ...page } = toListRequest([LIST], query, settings);
      const wanted = { ...page, walletId: params.walletID, metadata: metadataOf(query) };
      return nameCursors(LIST, await listBalances(context, wanted));
    },
  }),
  balances.get("/{balanceName}", {
    operationId: "getBalance",
    summary: "Read a balance, with what it holds",
    params: WalletParams.extend({ balanceName: z.string() }),
    answer: ok.data("The balance", BalanceWithAssetsResponse, toBalanceWithAssetsView),
    errors: [404],
    handle: ({ params, context }) =>
      getBalance(context, { walletId: params.walletID, name: params.balanceName }),
  }),
);
