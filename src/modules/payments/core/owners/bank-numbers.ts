/** The numbers of a bank account, in clear or masked. */
export interface BankNumbers {
  readonly accountNumber?: string;
  readonly iban?: string;
  readonly swiftBicCode?: string;
}

/** The numbers as answers show them: the bank's code in clear, the others masked but for a few characters at both ends. */
export const maskNumbers = ({ accountNumber, iban, ...clear }: BankNumbers): BankNumbers => ({
  ...clear,
  ...(accountNumber === undefined
    ? {}
    : { accountNumber: mask(accountNumber, { first: 2, last: 3 }) }),
  ...(iban === undefined ? {} : { iban: mask(iban, { first: 4, last: 4 }) }),
});

/** Keeps `first` and `last` characters at the ends of a text; masks a text that is shorter than both together as a whole. */
function mask(text: string, { first, last }: { first: number; last: number }): string {
  const hidden = text.length - first - last;
  return hidden < 0
    ? "*".repeat(text.length)
    : text.slice(0, first) + "*".repeat(hidden) + text.slice(-last);
}

const ALPHANUMERIC = /^[A-Za-z0-9]+$/;

/** The first problem of a new bank account's numbers, with the name of the field; undefined without problems. */
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

/** The limit is above the length of any account number. The reference product has no limit. */
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
