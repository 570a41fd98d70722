/** The numbers of a bank account, in clear or masked. */
export interface BankNumbers {
  readonly accountNumber?: string;
  readonly iban?: string;
  readonly swiftBicCode?: string;
}

/** The numbers as they are shown: the bank's code in clear, of the others what tells them apart. */
export const maskNumbers = ({ accountNumber, iban, ...clear }: BankNumbers): BankNumbers => ({
  ...clear,
  ...(accountNumber === undefined
    ? {}
    : { accountNumber: mask(accountNumber, { first: 2, last: 3 }) }),
  ...(iban === undefined ? {} : { iban: mask(iban, { first: 4, last: 4 }) }),
});

/** Keeps so many characters at both ends; of a text that has fewer than these, none. */
function mask(text: string, { first, last }: { first: number; last: number }): string {
  const hidden = text.length - first - last;
  return hidden < 0
    ? "*".repeat(text.length)
    : text.slice(0, first) + "*".repeat(hidden) + text.slice(-last);
}

const ALPHANUMERIC = /^[A-Za-z0-9]+$/;

/** What is wrong with the numbers of a new bank account, naming the field; undefined where nothing is. */
export function numbersProblem({
  accountNumber,
  iban,
  swiftBicCode,
}: BankNumbers): string | undefined {
  if (accountNumber === undefined && iban === undefined) {
    return "accountNumber or iban is required";
  }
  if (accountNumber !== undefined && !ALPHANUMERIC.test(accountNumber)) {
    return "accountNumber can only contain alphanumeric characters";
  }
  if (accountNumber !== undefined && accountNumber.length > ACCOUNT_NUMBER_LENGTH_MAX) {
    return `accountNumber must have at most ${ACCOUNT_NUMBER_LENGTH_MAX} characters`;
  }
  return (
    lengthProblem("iban", iban, IBAN_LENGTHS) ??
    lengthProblem("swiftBicCode", swiftBicCode, SWIFT_LENGTHS)
  );
}

/** Longer than any account number; the reference has no limit. */
const ACCOUNT_NUMBER_LENGTH_MAX = 1000;
const IBAN_LENGTHS = { least: 15, most: 31 };
const SWIFT_LENGTHS = { least: 8, most: 11 };

function lengthProblem(
  name: string,
  text: string | undefined,
  { least, most }: { least: number; most: number },
): string | undefined {
  if (text === undefined) return undefined;
  if (!ALPHANUMERIC.test(text)) return `${name} can only contain alphanumeric characters`;
  return text.length < least || text.length > most
    ? `${name} must have ${least} to ${most} characters`
    : undefined;
}
