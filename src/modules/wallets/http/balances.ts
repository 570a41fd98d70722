import type { OpenAPIHono } from "@hono/zod-openapi";
import { z } from "@hono/zod-openapi";
import { WALLET_BODY } from "./bodies.ts";
import { MetadataParams, metadataOf, PageParams, toListRequest, toListView } from "./lists.ts";
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
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Wallet balances"];
const PATH = "/wallets/{walletID}/balances";
const LIST = "balances";

export function registerBalances(app: OpenAPIHono<AppEnv>): void {
  registerCreate(app);
  registerReads(app);
}

function registerCreate(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: PATH,
      operationId: "createBalance",
      summary: "Create a balance",
      description: "The name, expiry and priority of a balance never change.",
      tags: TAGS,
      scope: "wallets:write",
      params: WalletParams,
      headers: KeyHeaders,
      body: BalanceRequest,
      ...WALLET_BODY,
      responses: { 201: json("The balance", dataOf(BalanceResponse)), ...errors(409, 415) },
    },
    async ({ params, headers, body, c }) => {
      const balance = await createBalance(c.var.context, {
        ...body,
        walletId: params.walletID,
        idempotencyKey: headers["idempotency-key"],
      });
      return { status: 201, body: { data: toBalanceView(balance) } };
    },
  );
}

function registerReads(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: PATH,
      operationId: "listBalances",
      summary: "List the balances of a wallet",
      description: "Balances are in the order of their names. An unknown wallet has none.",
      tags: TAGS,
      scope: "wallets:read",
      params: WalletParams,
      query: PageParams.extend(MetadataParams.shape).loose(),
      responses: { 200: json("A page of balances", cursorOf(BalanceResponse)) },
    },
    async ({ params, query, c }) => {
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const { list: _, ...page } = toListRequest([LIST], query, settings);
      const metadata = metadataOf(query);
      const found = await listBalances(context, { ...page, walletId: params.walletID, metadata });
      return { status: 200, body: toListView(LIST, mapPage(found, toBalanceView)) };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: `${PATH}/{balanceName}`,
      operationId: "getBalance",
      summary: "Read a balance, with what it holds",
      tags: TAGS,
      scope: "wallets:read",
      params: WalletParams.extend({ balanceName: z.string() }),
      responses: { 200: json("The balance", dataOf(BalanceWithAssetsResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const wanted = { walletId: params.walletID, name: params.balanceName };
      const balance = await getBalance(c.var.context, wanted);
      return { status: 200, body: { data: toBalanceWithAssetsView(balance) } };
    },
  );
}
