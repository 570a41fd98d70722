import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { AppEnv } from "./context.ts";

const ORIGIN = "*";
const EXPOSED = ["Count", "Idempotency-Hit"];

const answerPreflight = cors({
  origin: ORIGIN,
  allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
  allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "Formance-Bigint-As-String"],
  exposeHeaders: EXPOSED,
  maxAge: 100,
});

/**
 * Any page may call the API: what protects it is the bearer token. Only the pages of a login read cookies, and browsers show no
 * page what a request with cookies to another site has answered, unless the answer allows it, as ours do not. Where `isSilent`,
 * no other origin is allowed.
 */
export const allowAnyOrigin =
  (isSilent: (env: Env) => boolean): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    if (isSilent(c.env)) return next();
    if (c.req.raw.method === "OPTIONS") return answerPreflight(c, next);
    await next();
    // Set on the finished answer: headers that are there before it make Hono copy the whole answer.
    c.res.headers.set("access-control-allow-origin", ORIGIN);
    c.res.headers.set("access-control-expose-headers", EXPOSED.join(","));
    return undefined;
  };
