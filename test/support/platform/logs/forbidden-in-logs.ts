import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

/** The secrets of tests. Those of fake providers contain the first text. */
const SECRETS = ["psp-secret", TEST_SETTINGS.FLORIN_SECRET_KEY, TEST_SETTINGS.FLORIN_CLIENT_SECRET];
/** The account number of tests. */
const ACCOUNT_NUMBER = /(?<![\w.-])123456789(?![\w.-])/;
const CARD = /(?<![\w.-])[3-6]\d{14,15}(?![\w.-])/g;
const IBAN = /(?<![A-Za-z0-9_-])[A-Z]{2}\d{2}[A-Z0-9]{11,30}(?![A-Za-z0-9_-])/g;

/** What a log line shows that no log may show; undefined for an allowed line. */
export function forbiddenIn(line: string): string | undefined {
  if (SECRETS.some((secret) => line.includes(secret))) return "a secret";
  if (ACCOUNT_NUMBER.test(line)) return "an account number";
  if ([...line.matchAll(CARD)].some(([number]) => isCard(number))) return "a card number";
  return [...line.matchAll(IBAN)].some(([iban]) => isIban(iban)) ? "an IBAN" : undefined;
}

/** Whether the last digit of a number is a card's check digit, computed from the other digits (Luhn). */
function isCard(number: string): boolean {
  const sum = number
    .split("")
    .toReversed()
    .reduce((total, digit, place) => {
      const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

/** Whether the check digits of an IBAN fit: rearranged, its number is one more than a multiple of 97. */
function isIban(iban: string): boolean {
  const digits = `${iban.slice(4)}${iban.slice(0, 4)}`
    .split("")
    .map((character) => Number.parseInt(character, 36))
    .join("");
  return BigInt(digits) % 97n === 1n;
}
