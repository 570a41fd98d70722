import { z } from "zod";
import {
  ConnectorError,
  type ConnectorErrorKind,
} from "#modules/payments/connectors/connector-error.ts";
import type { ProviderResponse } from "#modules/payments/connectors/contract.ts";
import { rowOf } from "#modules/payments/connectors/kit/mapping.ts";
import { parseJson } from "#platform/json.ts";

/** What an error says of itself decides before its type does, and its type before its HTTP status. */
export const CODES: Readonly<Record<string, ConnectorErrorKind>> = {
  rate_limit: "rate-limited",
  // Another request changes the same object.
  lock_timeout: "rate-limited",
  // The first request with this idempotency key is not answered yet: it may move the money.
  idempotency_key_in_use: "unknown",
};

export const TYPES: Readonly<Record<string, ConnectorErrorKind>> = {
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
export function errorKindOf(answer: ProviderResponse): ConnectorErrorKind | undefined {
  const { type = "", code = "" } = readError(answer) ?? {};
  const kind = rowOf(CODES, code);
  if (kind !== undefined) return kind;
  return isOrdinary(answer) ? rowOf(TYPES, type) : undefined;
}

/** Statuses which say, whatever comes with them, that the request may be repeated. */
const REPEATED = new Set([408, 421, 423, 425, 429]);

const isOrdinary = ({ status }: ProviderResponse): boolean => status < 500 && !REPEATED.has(status);

/** Whether a page was asked for next to an object that the provider has deleted. */
export function isCursorGone(answer: ProviderResponse): boolean {
  const { code, param = "" } = readError(answer) ?? {};
  return code === "resource_missing" && (param === "starting_after" || param === "ending_before");
}

/** A page was asked for next to an object that is gone: the list has to be read anew. */
export class LostCursorError extends ConnectorError {
  constructor() {
    super("invalid", "the object that the next page follows is gone at the provider");
  }
}

function readError({ text }: ProviderResponse): Body["error"] | undefined {
  try {
    return Body.parse(parseJson(text)).error;
  } catch {
    return undefined; // something on the way has answered, and not the provider
  }
}
