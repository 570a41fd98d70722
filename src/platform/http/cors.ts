import { ALLOWED_ORIGIN, EXPOSED_HEADERS } from "./common-headers.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const HEADERS = ["Authorization", "Content-Type", "Idempotency-Key", "Formance-Bigint-As-String"];
/** How long a browser need not ask again, in seconds. */
const MAX_AGE_SECONDS = 100;

/**
 * Answers what browsers ask before a call. Any page may call the API: what protects it is the bearer token. Only the pages of a login
 * read cookies, and browsers show no page what a request with cookies to another site has answered, unless the answer allows it, as
 * ours do not.
 *
 * Whether the call itself will be refused is no matter of this answer: without it, the page could not read why.
 */
export const answerPreflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": ALLOWED_ORIGIN,
      "access-control-allow-methods": METHODS.join(","),
      "access-control-allow-headers": HEADERS.join(","),
      "access-control-expose-headers": EXPOSED_HEADERS.join(","),
      "access-control-max-age": String(MAX_AGE_SECONDS),
      vary: "Access-Control-Request-Headers",
    },
  });
