import { z } from "@hono/zod-openapi";
import {
  type ConnectorId,
  decodeConnectorId,
  decodeOwnedId,
  decodePaymentId,
  type OwnedId,
  type PaymentId,
} from "#modules/payments/core/ids.ts";
import { AppError } from "#platform/errors.ts";

/**
 * Ids in paths and bodies. In a path, a text that is no such id is answered with `INVALID_ID`, even if the request has
 * other errors.
 */

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const toConnectorId = (text: string): ConnectorId =>
  decodeConnectorId(text) ?? invalid("connector", text);

/** The id of an account, an initiation, an order, a conversion or a task. */
export const toOwnedId = (what: string, text: string): OwnedId =>
  decodeOwnedId(text) ?? invalid(what, text);

export const toPaymentId = (text: string): PaymentId =>
  decodePaymentId(text) ?? invalid("payment", text);

/** The id of a bank account, a pool, a user or an attempt to link one, in lower case. */
export const toUuid = (what: string, text: string): string =>
  UUID.test(text) ? text.toLowerCase() : invalid(what, text);

function invalid(what: string, text: string): never {
  const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
  throw new AppError("INVALID_ID", `'${shown}' is not the id of ${article(what)}`);
}

const SHOWN_MAX = 80;

/** Parameters of paths with ids. They are checked before the rest of a request. */
export const connectorIdParam = () => idParam((text) => toConnectorId(text));
export const ownedIdParam = (what: string) => idParam((text) => toOwnedId(what, text));
export const paymentIdParam = () => idParam((text) => toPaymentId(text));
export const uuidParam = (what: string) => idParam((text) => toUuid(what, text));

const idParam = <T>(parse: (text: string) => T) =>
  z.string().transform(parse).openapi({ type: "string" });

/** The id of a connector in a body. */
export const ConnectorIdInput = idInput("connector", decodeConnectorId);
/** A UUID in a body, in letters of any case. */
export const UuidInput = z
  .string()
  .regex(UUID, "must be a valid UUID")
  .toLowerCase()
  .openapi({ type: "string", format: "uuid" });
/** The id of an account in a body. The account need not exist. */
export const AccountIdInput = idInput("account", decodeOwnedId);

/** The id of an account in a body, which may be absent. An empty text and null count as absent. */
export const OptionalAccountId = z
  .preprocess((id) => (id === null || id === "" ? undefined : id), AccountIdInput.optional())
  .openapi({ type: "string" });

function idInput<T>(what: string, decodeId: (text: string) => T | undefined) {
  return z
    .string()
    .transform((text, context): T => {
      const id = decodeId(text);
      if (id !== undefined) return id;
      context.addIssue({ code: "custom", message: `is not the id of ${article(what)}` });
      return z.NEVER;
    })
    .openapi({ type: "string" });
}

const article = (noun: string): string => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
