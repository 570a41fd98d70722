/** What an answer of the API allows a browser that shows it: nothing. Pages have policies of their own. */
const POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Adds what keeps a browser from making of a finished answer what it is not. A policy that it has already stays. */
export function addSecurityHeaders(headers: Headers): void {
  headers.set("x-content-type-options", "nosniff");
  if (headers.has("content-security-policy")) return;
  headers.set("content-security-policy", POLICY);
  headers.set("referrer-policy", "no-referrer");
}
