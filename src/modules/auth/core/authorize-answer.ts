import type { AuthorizeRequest } from "./authorize-request.ts";

/** Where an answer goes. */
export type AnswerTarget = Pick<AuthorizeRequest, "redirectUri" | "responseMode" | "state">;

/** What the client gets, besides its state and our issuer. */
export type AuthorizeAnswer =
  | { readonly code: string }
  | { readonly error: string; readonly error_description: string };

/**
 * The URL with which the browser brings an answer to the client. The registered URI stays as it is, with the query that it
 * has. Our issuer is in it (RFC 9207), so that a client of several servers knows which one answers.
 */
export function answerUrl(
  { redirectUri, responseMode, state }: AnswerTarget,
  answer: AuthorizeAnswer,
  issuer: string,
): string {
  const params = new URLSearchParams({
    ...answer,
    ...(state === undefined ? {} : { state }),
    iss: issuer,
  });
  if (responseMode === "fragment") return `${redirectUri}#${params.toString()}`;
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${params.toString()}`;
}

/** Whether a code may be sent to a registered URI at all: a page, and no part of one. */
export function isRedirectTarget(uri: string): boolean {
  // A header takes no other characters, and browsers write them in several ways.
  if (!/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return false;
  const { protocol, username, password } = new URL(uri);
  return /^https?:$/.test(protocol) && !uri.includes("#") && username === "" && password === "";
}
