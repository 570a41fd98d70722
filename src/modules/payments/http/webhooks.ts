import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { toConnectorId } from "./path-ids.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { receiveWebhook } from "#modules/payments/deliveries/receive.ts";
import { systemContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { readText } from "#platform/http/body.ts";
import type { AppEnv } from "#platform/http/index.ts";

/** The kinds whose providers may still call the paths of version 1. */
const LEGACY_WEBHOOKS = new Set(["adyen", "mangopay"]);
/**
 * Largest body of a webhook, in bytes. Webhooks are stored encrypted, in one row of the database or in one row for each
 * part.
 */
const WEBHOOK_BYTES_MAX = 512 * 1024;
const SPLIT_WEBHOOK_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Registers the paths to which providers send webhooks, by any method and without a token: the plugin verifies the sender.
 * The API document does not show these paths, because no client calls them.
 */
export function registerWebhookReception(app: OpenAPIHono<AppEnv>): void {
  app.all("/v3/connectors/webhooks/:connectorID/*", (c) => receive(c, c.req.param("connectorID")));
  app.all("/connectors/webhooks/:provider/:connectorID/*", (c) => {
    const provider = c.req.param("provider");
    if (!LEGACY_WEBHOOKS.has(provider.toLowerCase())) {
      throw new AppError("NOT_FOUND", "the connectors of this kind have no webhooks here");
    }
    return receive(c, c.req.param("connectorID"));
  });
}

async function receive(c: Context<AppEnv>, connectorID: string): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const { method, raw } = c.req;
  const connectorId = toConnectorId(connectorID);
  const isSplit = kindOf(connectorId.provider)?.splitWebhook !== undefined;
  const bytesMax = isSplit ? SPLIT_WEBHOOK_BYTES_MAX : WEBHOOK_BYTES_MAX;
  await receiveWebhook(systemContext(c.env, c.get("request").id), {
    connectorId,
    urlPath: pathname.slice(pathname.indexOf(`/${connectorID}/`) + connectorID.length + 1),
    search,
    method,
    headers: Object.fromEntries(raw.headers),
    query: c.req.queries(),
    body: raw.body === null ? "" : await readText(raw, bytesMax),
  });
  return c.body(null, 200);
}
