import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { ALLOWED_ORIGIN, EXPOSED_HEADERS } from "./common-headers.ts";
import { type AppEnv, deploymentOf } from "./context.ts";

const answerPreflight = cors({
  origin: ALLOWED_ORIGIN,
  allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
  allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "Formance-Bigint-As-String"],
  exposeHeaders: EXPOSED_HEADERS,
  maxAge: 100,
});

/**
 * Answers what browsers ask before a call. Any page may call the API: what protects it is the bearer token. Only the pages of a login
 * read cookies, and browsers show no page what a request with cookies to another site has answered, unless the answer allows it, as
 * ours do not. Where authentication is off, no other origin is allowed.
 */
export const allowAnyOrigin: MiddlewareHandler<AppEnv> = (c, next) =>
  deploymentOf(c).isOpenToAll ? next() : answerPreflight(c, next);
