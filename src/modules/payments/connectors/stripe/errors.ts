import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The kinds of errors by their codes. The code of an error decides before its type, and its type before its HTTP status. */
export const CODES: Readonly<Record<string, kit.ConnectorErrorKind>> = {
  rate_limit: "rate-limited",
  // Another request is changing the same object.
  lock_timeout: "rate-limited",
  // The first request with this idempotency key is not answered yet: it may move the money.
  idempotency_key_in_use: "unknown",
};

export const TYPES: Readonly<Record<string, kit.ConnectorErrorKind>> = {
  invalid_request_error: "invalid",
  idempotency_error: "invalid",
  card_error: "invalid",
  api_error: "unknown",
};

const Body = z.object({
  error: z.object({
    type: z.string().optional(),
    code: z.string().optional(),
    param: z.string().optional(),
  }),
});
type Body = z.output<typeof Body>;

/** Classifies an error answer; undefined if its status alone decides. */
export function errorKindOf(answer: kit.ProviderResponse): kit.ConnectorErrorKind | undefined {
  const { type = "", code = "" } = readError(answer) ?? {};
  const kind = kit.rowOf(CODES, code);
  if (kind !== undefined) return kind;
  return isOrdinary(answer) ? kit.rowOf(TYPES, type) : undefined;
}

/** Statuses of requests that may be repeated, whatever the type of the error is. */
const REPEATED = new Set([408, 421, 423, 425, 429]);

const isOrdinary = ({ status }: kit.ProviderResponse): boolean =>
  status < 500 && !REPEATED.has(status);

/** Whether the error says that the object next to the requested page was deleted. */
export function isCursorGone(answer: kit.ProviderResponse): boolean {
  const { code, param = "" } = readError(answer) ?? {};
  return code === "resource_missing" && (param === "starting_after" || param === "ending_before");
}

/** The object next to the requested page was deleted: the list has to be read from its beginning. */
export class LostCursorError extends kit.ConnectorError {
  constructor() {
    super("invalid", "the object that the next page follows is gone at the provider");
  }
}

const readError = ({ text }: kit.ProviderResponse): Body["error"] | undefined =>
  Body.safeParse(kit.parseBody(text)).data?.error;
