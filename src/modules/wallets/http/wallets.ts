import { z } from "@hono/zod-openapi";
import { WALLET_BODY } from "./bodies.ts";
import { MetadataParams, metadataOf, PageParams, toListRequest, nameCursors } from "./lists.ts";
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
import { deploymentOf, ok, operations, registration } from "#platform/http/index.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const wallets = operations({ path: "/wallets", tags: ["Wallets"], scope: "wallets" });
export const WalletParams = z.object({ walletID: z.string() });

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

export const registerWallets = registration(
  wallets.post("", {
    operationId: "createWallet",
    summary: "Create a wallet",
    description: "Names need not be unique.",
    headers: KeyHeaders,
    body: WalletRequest,
    ...WALLET_BODY,
    answer: ok.created("The wallet", WalletResponse, toWalletView),
    errors: [409, 415],
    handle: ({ headers, body, context }) =>
      createWallet(context, { ...body, idempotencyKey: headers["idempotency-key"] }),
  }),
  wallets.get("", {
    operationId: "listWallets",
    summary: "List wallets",
    description:
      "Wallets are in the order of their ids. Assets are shown only with `expand=balances`.",
    query: ListQuery,
    answer: ok.page("A page of wallets", WalletResponse, toWalletView),
    handle: async ({ query, context, c }) => {
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
        name === LISTS.expanded ? wallet : { ...wallet, assets: {} },
      );
      return nameCursors(name, shown);
    },
  }),
  wallets.get("/{walletID}", {
    operationId: "getWallet",
    summary: "Read a wallet",
    params: WalletParams,
    answer: ok.data("The wallet", WalletResponse, toWalletView),
    errors: [404],
    handle: ({ params, context }) => getWallet(context, params.walletID),
  }),
  wallets.patch("/{walletID}", {
    operationId: "updateWallet",
    summary: "Change metadata of a wallet",
    description: "Keys that are not given stay as they are.",
    params: WalletParams,
    headers: KeyHeaders,
    body: WalletUpdateRequest,
    ...WALLET_BODY,
    answer: ok.empty("Changed"),
    errors: [404, 415],
    handle: ({ params, headers, body, context }) =>
      updateWallet(context, {
        walletId: params.walletID,
        metadata: body.metadata,
        idempotencyKey: headers["idempotency-key"],
      }),
  }),
  wallets.get("/{walletID}/summary", {
    operationId: "getWalletSummary",
    summary: "Show what a wallet has in all",
    description: "An unknown wallet has nothing.",
    params: WalletParams,
    answer: ok.data("The summary", SummaryResponse, toSummaryView),
    handle: ({ params, context }) => summarizeWallet(context, params.walletID),
  }),
);
