import { z } from "@hono/zod-openapi";
import { WALLET_BODY } from "./bodies.ts";
import { MetadataParams, metadataOf, PageParams, toListRequest, nameCursors } from "./lists.ts";
import { ConfirmRequest, HoldStateResponse, KeyHeaders, ListedHoldResponse } from "./schemas.ts";
import { toHoldStateView, toHoldView } from "./views.ts";
import { confirmHold } from "#modules/wallets/holds/confirm.ts";
import { getHold } from "#modules/wallets/holds/get.ts";
import { listHolds } from "#modules/wallets/holds/list.ts";
import { voidHold } from "#modules/wallets/holds/void.ts";
import { deploymentOf, ok, operations, registration } from "#platform/http/index.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const holds = operations({ path: "/holds", tags: ["Holds"], scope: "wallets" });
const Params = z.object({ holdID: z.string() });

/** Names of the list in cursors. A cursor thus keeps whether the list shows amounts. */
const LISTS = { plain: "holds", expanded: "holds_amounts" } as const;

export const registerHolds = registration(
  holds.get("", {
    operationId: "getHolds",
    summary: "List holds",
    description: "Holds are in the order of their ids, closed ones included.",
    query: PageParams.extend({
      walletID: z.string().optional(),
      expand: z.enum(["amounts"]).optional().openapi({
        description: "Florin's own: `amounts` shows what was held, and what is left.",
      }),
    })
      .extend(MetadataParams.shape)
      .loose(),
    answer: ok.page("A page of holds", ListedHoldResponse),
    handle: async ({ query, context, c }) => {
      const { settings } = deploymentOf(c);
      const { list, ...page } = toListRequest(Object.values(LISTS), query, settings);
      const name = list ?? (query.expand === "amounts" ? LISTS.expanded : LISTS.plain);
      const wanted = { ...page, walletId: query.walletID, metadata: metadataOf(query) };
      const view = name === LISTS.expanded ? toHoldStateView : toHoldView;
      return nameCursors(name, mapPage(await listHolds(context, wanted), view));
    },
  }),
  holds.get("/{holdID}", {
    operationId: "getHold",
    summary: "Read a hold, with what is left of it",
    params: Params,
    answer: ok.data("The hold", HoldStateResponse, toHoldStateView),
    errors: [404],
    handle: ({ params, context }) => getHold(context, params.holdID),
  }),
  holds.post("/{holdID}/confirm", {
    operationId: "confirmHold",
    summary: "Move money of a hold to its destination",
    params: Params,
    headers: KeyHeaders,
    body: ConfirmRequest,
    ...WALLET_BODY,
    answer: ok.empty("Confirmed"),
    errors: [404, 415],
    handle: ({ params, headers, body, context }) =>
      confirmHold(context, {
        holdId: params.holdID,
        amount: body.amount,
        isFinal: body.final,
        idempotencyKey: headers["idempotency-key"],
      }),
  }),
  holds.post("/{holdID}/void", {
    operationId: "voidHold",
    summary: "Move what is left of a hold back to where it came from",
    description:
      "Balances get their money back in the order in which they gave: the first one all of its money, then the next one. After a partial confirmation, the last ones get less.",
    params: Params,
    headers: KeyHeaders,
    answer: ok.empty("Voided"),
    errors: [404],
    handle: ({ params, headers, context }) =>
      voidHold(context, {
        holdId: params.holdID,
        idempotencyKey: headers["idempotency-key"],
      }),
  }),
);
