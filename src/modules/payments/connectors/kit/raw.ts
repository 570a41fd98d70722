import { stringifyJson } from "#platform/json.ts";

/** Names of members that contain secrets, which are masked as a whole. */
const SECRET_NAMES = /^(?:client_?secret|secret|password|api_?key|access_?token|cvc|cvv)$/i;
/** Names of members that contain numbers of cards and bank accounts. */
const NUMBER_NAMES = /^(?:number|pan)$|(?:card_?number|account_?number|iban)$/i;
/** IBANs within a text, also in groups of four. */
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g;

const MASK = "***";
const SHOWN_DIGITS = 4;

/**
 * An object of a provider as the JSON that is stored: without secrets, and with only the last digits of numbers of cards and bank accounts.
 */
export const rawOf = (value: unknown): string => stringifyJson(withoutSecrets(value));

function withoutSecrets(value: unknown): unknown {
  if (typeof value === "string")
    return value.replaceAll(IBAN, (text) =>
      isIban(text) ? lastDigits(text.replaceAll(" ", "")) : text,
    );
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, memberOf(name, member)]),
  );
}

function memberOf(name: string, member: unknown): unknown {
  const isText =
    typeof member === "string" || typeof member === "number" || typeof member === "bigint";
  if (isText && SECRET_NAMES.test(name)) return MASK;
  return isText && NUMBER_NAMES.test(name) ? lastDigits(String(member)) : withoutSecrets(member);
}

/** The last digits of a number. A number of at most twice as many digits is masked as a whole. */
const lastDigits = (number: string): string =>
  number.length > 2 * SHOWN_DIGITS ? `${MASK}${number.slice(-SHOWN_DIGITS)}` : MASK;

/** Whether the check digits of a text that looks like an IBAN are right, by ISO 13616. */
function isIban(text: string): boolean {
  const compact = text.replaceAll(" ", "");
  // A letter counts as two digits: A is 10.
  const digits = `${compact.slice(4)}${compact.slice(0, 4)}`.replaceAll(/[A-Z]/g, (letter) =>
    String(parseInt(letter, 36)),
  );
  return BigInt(digits) % 97n === 1n;
}
