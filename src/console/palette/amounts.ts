/** An amount as people write it: `1,234.56`, `1.234,56 €`, `-12`. */
const AMOUNT = /^[^\d\w-]*(-?[\d.,' \u00A0\u202F]*\d)[\s\u00A0]*(?:[A-Z]{3}|\p{Sc})?$/u;

/** The integers of the API that a written amount may mean: its digits, and with two decimals added where it has none. */
export function amountsIn(text: string): readonly bigint[] {
  const [, number] = AMOUNT.exec(text.trim()) ?? [];
  if (number === undefined) return [];
  const digits = BigInt(number.replaceAll(/[^\d-]/g, ""));
  return /[.,]\d{1,2}$/.test(number) || number.length > DIGITS_MAX
    ? [digits]
    : [digits, digits * 100n];
}

const DIGITS_MAX = 18;
