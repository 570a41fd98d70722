import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

const ORIGIN = "*";
const EXPOSED = ["Count", "Idempotency-Hit"];

const answerPreflight = cors({
  origin: ORIGIN,
  allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
  allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "Formance-Bigint-As-String"],
  exposeHeaders: EXPOSED,
  maxAge: 100,
});

/** Any page may call the API: what protects it is the bearer token, and no cookie is ever read. */
export const allowAnyOrigin: MiddlewareHandler = async (c, next) => {
  if (c.req.raw.method === "OPTIONS") return answerPreflight(c, next);
  await next();
  // Set on the finished answer: headers that are there before it make Hono copy the whole answer.
  c.res.headers.set("access-control-allow-origin", ORIGIN);
  c.res.headers.set("access-control-expose-headers", EXPOSED.join(","));
  return undefined;
};
