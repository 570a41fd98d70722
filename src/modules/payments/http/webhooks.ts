import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { toConnectorId } from "./path-ids.ts";
import { findConnector } from "#modules/payments/installs/store.ts";
import { AppError } from "#platform/errors.ts";
import type { AppEnv } from "#platform/http/context.ts";

/** The kinds whose providers were told the paths of the first generation. */
const LEGACY_WEBHOOKS = new Set(["adyen", "mangopay"]);

/**
 * Where providers announce what has happened, by any method and without a token. None of the connectors of this version has told
 * its provider to do so, so that nothing is accepted; the document does not show these paths.
 */
export function registerWebhookReception(app: OpenAPIHono<AppEnv>): void {
  app.all("/v3/connectors/webhooks/:connectorID/*", (c) => refuse(c, c.req.param("connectorID")));
  app.all("/connectors/webhooks/:provider/:connectorID/*", (c) => {
    const provider = c.req.param("provider");
    if (!LEGACY_WEBHOOKS.has(provider.toLowerCase())) {
      throw new AppError("NOT_FOUND", "the connectors of this kind have no webhooks here");
    }
    return refuse(c, c.req.param("connectorID"));
  });
}

async function refuse(c: Context<AppEnv>, text: string): Promise<never> {
  const connector = await findConnector({ env: c.env }, toConnectorId(text));
  throw new AppError(
    "NOT_FOUND",
    connector === undefined ? "cannot get connector: not found" : "webhook config not found",
  );
}
