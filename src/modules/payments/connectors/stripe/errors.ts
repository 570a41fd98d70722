import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** What an error says of itself decides before its type does, and its type before its HTTP status. */
export const CODES: Readonly<Record<string, kit.ConnectorErrorKind>> = {
  rate_limit: "rate-limited",
  // Another request changes the same object.
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

/** What an error answer means; undefined where its status alone decides. */
export function errorKindOf(answer: kit.ProviderResponse): kit.ConnectorErrorKind | undefined {
  const { type = "", code = "" } = readError(answer) ?? {};
  const kind = kit.rowOf(CODES, code);
  if (kind !== undefined) return kind;
  return isOrdinary(answer) ? kit.rowOf(TYPES, type) : undefined;
}

/** Statuses which say, whatever comes with them, that the request may be repeated. */
const REPEATED = new Set([408, 421, 423, 425, 429]);

const isOrdinary = ({ status }: kit.ProviderResponse): boolean =>
  status < 500 && !REPEATED.has(status);

/** Whether a page was asked for next to an object that the provider has deleted. */
export function isCursorGone(answer: kit.ProviderResponse): boolean {
  const { code, param = "" } = readError(answer) ?? {};
  return code === "resource_missing" && (param === "starting_after" || param === "ending_before");
}

/** A page was asked for next to an object that is gone: the list has to be read anew. */
export class LostCursorError extends kit.ConnectorError {
  constructor() {
    super("invalid", "the object that the next page follows is gone at the provider");
  }
}

const readError = ({ text }: kit.ProviderResponse): Body["error"] | undefined =>
  Body.safeParse(kit.parseBody(text)).data?.error;
