import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

/** The secrets of tests: those of fake providers have this text in them. */
const SECRETS = ["psp-secret", TEST_SETTINGS.FLORIN_SECRET_KEY, TEST_SETTINGS.FLORIN_CLIENT_SECRET];
/** The account number that tests use. */
const ACCOUNT_NUMBER = /(?<![\w.-])123456789(?![\w.-])/;
const CARD = /(?<![\w.-])[3-6]\d{14,15}(?![\w.-])/g;
const IBAN = /(?<![A-Za-z0-9_-])[A-Z]{2}\d{2}[A-Z0-9]{11,30}(?![A-Za-z0-9_-])/g;

/** What a line of a log must not show; undefined where it may be written. */
export function forbiddenIn(line: string): string | undefined {
  if (SECRETS.some((secret) => line.includes(secret))) return "a secret";
  if (ACCOUNT_NUMBER.test(line)) return "an account number";
  if ([...line.matchAll(CARD)].some(([number]) => isCard(number))) return "a card number";
  return [...line.matchAll(IBAN)].some(([iban]) => isIban(iban)) ? "an IBAN" : undefined;
}

/** The digit at the end of the number of a card follows from the others. */
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

/** The digits behind the country follow from all others: the number is one more than a multiple of 97. */
function isIban(iban: string): boolean {
  const digits = `${iban.slice(4)}${iban.slice(0, 4)}`
    .split("")
    .map((character) => Number.parseInt(character, 36))
    .join("");
  return BigInt(digits) % 97n === 1n;
}
