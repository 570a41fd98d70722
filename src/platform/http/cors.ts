import { cors } from "hono/cors";

/** Any page may call the API: what protects it is the bearer token, and no cookie is ever read. */
export const allowAnyOrigin = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
  allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "Formance-Bigint-As-String"],
  exposeHeaders: ["Count", "Idempotency-Hit"],
  maxAge: 100,
});
