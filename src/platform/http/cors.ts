import { ALLOWED_ORIGIN, EXPOSED_HEADERS } from "./common-headers.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const HEADERS = ["Authorization", "Content-Type", "Idempotency-Key", "Formance-Bigint-As-String"];
/** Time for which a browser may cache the answer, in seconds. */
const MAX_AGE_SECONDS = 100;

/**
 * Answers a CORS preflight. Any page may call the API, because a bearer token protects it. Only the pages of a login read cookies, and a
 * browser hides the answer to a cross-site request with cookies unless the answer allows credentials, which Florin's answers do not.
 *
 * A preflight is answered also for a call that will be refused; otherwise the page could not read the reason.
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
