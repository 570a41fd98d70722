import type { Context } from "hono";
import { asClient } from "#modules/auth/index.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type AppEnv, deploymentOf } from "#platform/http/index.ts";

/**
 * The context in which a request reads ledgers and pools. Official clients ask for tokens with the scope of reconciliation only, so that a
 * client that acts for itself has all scopes that it may ask tokens for. Throws `UNAUTHENTICATED` where the client is gone.
 */
export const actingOf = (c: Context<AppEnv>, context: ServiceContext): Promise<ServiceContext> =>
  asClient(context, deploymentOf(c).scopes);
