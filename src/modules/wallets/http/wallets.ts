import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { WALLET_BODY } from "./bodies.ts";
import { MetadataParams, metadataOf, PageParams, toListRequest, toListView } from "./lists.ts";
import {
  KeyHeaders,
  SummaryResponse,
  WalletRequest,
  WalletResponse,
  WalletUpdateRequest,
} from "./schemas.ts";
import { toSummaryView, toWalletView } from "./views.ts";
import { createWallet } from "#modules/wallets/wallets/create.ts";
import { getWallet } from "#modules/wallets/wallets/get.ts";
import { listWallets } from "#modules/wallets/wallets/list.ts";
import { summarizeWallet } from "#modules/wallets/wallets/summarize.ts";
import { updateWallet } from "#modules/wallets/wallets/update.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Wallets"];
export const WalletParams = z.object({ walletID: z.string() });

export function registerWallets(app: OpenAPIHono<AppEnv>): void {
  registerCreate(app);
  registerList(app);
  registerOne(app);
  registerSummary(app);
}

function registerCreate(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/wallets",
      operationId: "createWallet",
      summary: "Create a wallet",
      description: "Names need not be unique.",
      tags: TAGS,
      scope: "wallets:write",
      headers: KeyHeaders,
      body: WalletRequest,
      ...WALLET_BODY,
      responses: { 201: json("The wallet", dataOf(WalletResponse)), ...errors(409, 415) },
    },
    async ({ headers, body, c }) => {
      const input = { ...body, idempotencyKey: headers["idempotency-key"] };
      const wallet = await createWallet(c.var.context, input);
      return { status: 201, body: { data: toWalletView(wallet) } };
    },
  );
}

/** Names of the list in cursors. A cursor thus keeps whether the list shows balances. */
const LISTS = { plain: "wallets", expanded: "wallets_balances" } as const;

const ListQuery = PageParams.extend({
  name: z.string().optional(),
  expand: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .openapi({
      type: "string",
      description: "`balances` shows what the main balances hold.",
    }),
})
  .extend(MetadataParams.shape)
  .loose();

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/wallets",
      operationId: "listWallets",
      summary: "List wallets",
      description:
        "Wallets are in the order of their ids. Assets are shown only with `expand=balances`.",
      tags: TAGS,
      scope: "wallets:read",
      query: ListQuery,
      responses: { 200: json("A page of wallets", cursorOf(WalletResponse)) },
    },
    async ({ query, c }) => {
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const { list, ...page } = toListRequest(Object.values(LISTS), query, settings);
      const asked = [query.expand].flat().includes("balances") ? LISTS.expanded : LISTS.plain;
      const name = list ?? asked;
      const found = await listWallets(context, {
        ...page,
        name: query.name,
        metadata: metadataOf(query),
      });
      const shown = mapPage(found, (wallet) =>
        toWalletView(name === LISTS.expanded ? wallet : { ...wallet, assets: {} }),
      );
      return { status: 200, body: toListView(name, shown) };
    },
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/wallets/{walletID}",
      operationId: "getWallet",
      summary: "Read a wallet",
      tags: TAGS,
      scope: "wallets:read",
      params: WalletParams,
      responses: { 200: json("The wallet", dataOf(WalletResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const wallet = await getWallet(c.var.context, params.walletID);
      return { status: 200, body: { data: toWalletView(wallet) } };
    },
  );
  endpoint(
    app,
    {
      method: "patch",
      path: "/wallets/{walletID}",
      operationId: "updateWallet",
      summary: "Change metadata of a wallet",
      description: "Keys that are not given stay as they are.",
      tags: TAGS,
      scope: "wallets:write",
      params: WalletParams,
      headers: KeyHeaders,
      body: WalletUpdateRequest,
      ...WALLET_BODY,
      responses: { 204: empty("Changed"), ...errors(404, 415) },
    },
    async ({ params, headers, body, c }) => {
      await updateWallet(c.var.context, {
        walletId: params.walletID,
        metadata: body.metadata,
        idempotencyKey: headers["idempotency-key"],
      });
      return { status: 204 };
    },
  );
}

function registerSummary(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/wallets/{walletID}/summary",
      operationId: "getWalletSummary",
      summary: "Show what a wallet has in all",
      description: "An unknown wallet has nothing.",
      tags: TAGS,
      scope: "wallets:read",
      params: WalletParams,
      responses: { 200: json("The summary", dataOf(SummaryResponse)) },
    },
    async ({ params, c }) => {
      const summary = await summarizeWallet(c.var.context, params.walletID);
      return { status: 200, body: { data: toSummaryView(summary) } };
    },
  );
}
