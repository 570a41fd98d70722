import { sha256 } from "./signatures.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";

const STATEMENT_TEXT = /^[a-zA-Z0-9 ]*$/;
const PLAIN_REFERENCE = /^[\w -]+$/;
/** Of a reference that a provider does not take, so many digits of the digest are given. */
const DIGEST_LENGTH = 40;

/** Refuses a description that banks would not write on a statement. */
export function assertStatementText(description: string, lengthMax: number): void {
  if (description.length > lengthMax) {
    throw new ConnectorError("invalid", `description must have at most ${lengthMax} characters`);
  }
  if (!STATEMENT_TEXT.test(description)) {
    throw new ConnectorError("invalid", "description must have letters, digits and spaces only");
  }
}

/** A reference as a provider with narrow limits takes it: itself, or some digits of its digest. */
export const shortReference = (reference: string, lengthMax: number): string =>
  reference.length <= lengthMax && PLAIN_REFERENCE.test(reference)
    ? reference
    : sha256(reference, "hex").slice(0, DIGEST_LENGTH);
