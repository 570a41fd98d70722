import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { WALLET_BODY } from "./bodies.ts";
import { MetadataParams, metadataOf, PageParams, toListRequest, toListView } from "./lists.ts";
import { ConfirmRequest, HoldResponse, HoldStateResponse, KeyHeaders } from "./schemas.ts";
import { toHoldStateView, toHoldView } from "./views.ts";
import { confirmHold } from "#modules/wallets/holds/confirm.ts";
import { getHold } from "#modules/wallets/holds/get.ts";
import { listHolds } from "#modules/wallets/holds/list.ts";
import { voidHold } from "#modules/wallets/holds/void.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Holds"];
const Params = z.object({ holdID: z.string() });
const LIST = "holds";

export function registerHolds(app: OpenAPIHono<AppEnv>): void {
  registerReads(app);
  registerConfirm(app);
  registerVoid(app);
}

function registerReads(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/holds",
      operationId: "getHolds",
      summary: "List holds",
      description: "Holds are in the order of their ids, closed ones included.",
      tags: TAGS,
      scope: "wallets:read",
      query: PageParams.extend({ walletID: z.string().optional() })
        .extend(MetadataParams.shape)
        .loose(),
      responses: { 200: json("A page of holds", cursorOf(HoldResponse)) },
    },
    async ({ query, c }) => {
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const { list: _, ...page } = toListRequest([LIST], query, settings);
      const wanted = { ...page, walletId: query.walletID, metadata: metadataOf(query) };
      const found = await listHolds(context, wanted);
      return { status: 200, body: toListView(LIST, mapPage(found, toHoldView)) };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/holds/{holdID}",
      operationId: "getHold",
      summary: "Read a hold, with what is left of it",
      tags: TAGS,
      scope: "wallets:read",
      params: Params,
      responses: { 200: json("The hold", dataOf(HoldStateResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const hold = await getHold(c.var.context, params.holdID);
      return { status: 200, body: { data: toHoldStateView(hold) } };
    },
  );
}

function registerConfirm(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/holds/{holdID}/confirm",
      operationId: "confirmHold",
      summary: "Move money of a hold to its destination",
      tags: TAGS,
      scope: "wallets:write",
      params: Params,
      headers: KeyHeaders,
      body: ConfirmRequest,
      ...WALLET_BODY,
      responses: { 204: empty("Confirmed"), ...errors(404, 415) },
    },
    async ({ params, headers, body, c }) => {
      await confirmHold(c.var.context, {
        holdId: params.holdID,
        amount: body.amount,
        isFinal: body.final,
        idempotencyKey: headers["idempotency-key"],
      });
      return { status: 204 };
    },
  );
}

function registerVoid(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/holds/{holdID}/void",
      operationId: "voidHold",
      summary: "Move what is left of a hold back to where it came from",
      description:
        "Balances get their money back in the order in which they gave: the first one all of its money, then the next one. After a partial confirmation, the last ones get less.",
      tags: TAGS,
      scope: "wallets:write",
      params: Params,
      headers: KeyHeaders,
      responses: { 204: empty("Voided"), ...errors(404) },
    },
    async ({ params, headers, c }) => {
      await voidHold(c.var.context, {
        holdId: params.holdID,
        idempotencyKey: headers["idempotency-key"],
      });
      return { status: 204 };
    },
  );
}
