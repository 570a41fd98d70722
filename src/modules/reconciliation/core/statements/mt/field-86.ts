import {
  joinTexts,
  referenceOf,
  textOf,
} from "#modules/reconciliation/core/statements/values/texts.ts";

/** What a field `:86:` says about an entry. */
export interface EntryInfo {
  readonly endToEndId?: string | undefined;
  readonly instructionId?: string | undefined;
  readonly mandateId?: string | undefined;
  readonly batchId?: string | undefined;
  readonly text: string | undefined;
  readonly name?: string | undefined;
  readonly account?: string | undefined;
  /** The business transaction code of German banks: `166`. */
  readonly code?: string | undefined;
}

/**
 * Reads the lines of a field `:86:` in one of its structures: subfields such as `?20` (DFÜ agreement of German banks, annex 3, chapter 8),
 * code words between slashes such as `/EREF/` (Dutch banks), SEPA key words such as `EREF+`, or free text.
 */
export function parseInfo(lines: readonly string[]): EntryInfo {
  const joined = lines.join("");
  const structured = /^(\d{3})([^A-Za-z0-9\s/:,.+-])(?=\d{2})/.exec(joined);
  if (structured !== null) {
    const [all, code = "", separator = ""] = structured;
    return parseSubfields(joined.slice(all.length - 1), { code, separator });
  }
  if (CODE_WORD_FIRST.test(joined)) return parseCodeWords(joined);
  if (KEY_WORD_FIRST.test(joined)) return parseKeyWords(joined);
  return { text: joinTexts(lines) };
}

function parseSubfields(
  text: string,
  { code, separator }: { code: string; separator: string },
): EntryInfo {
  const parts = new Map<string, string>();
  for (const part of text.split(separator)) {
    const number = part.slice(0, 2);
    // A separator without a number belongs to the text in front of it.
    if (!/^\d{2}$/.test(number)) continue;
    parts.set(number, (parts.get(number) ?? "") + part.slice(2));
  }
  const of = (...numbers: readonly number[]): string =>
    numbers.map((number) => parts.get(String(number).padStart(2, "0")) ?? "").join("");
  const purpose = of(20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 60, 61, 62, 63);
  const info = parseKeyWords(purpose);
  return {
    ...info,
    text: info.text ?? textOf(of(0)),
    name: textOf(of(32, 33)) ?? info.name,
    account: textOf(of(31)) ?? info.account,
    code,
  };
}

/** Key words of SEPA fields in the purpose. Lines are cut anywhere, so a key word may begin in one and end in the next. */
const KEY_WORD = /(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|IBAN|BIC|PURP|RREF|ANAM)\+/;
const KEY_WORD_FIRST = new RegExp(`^${KEY_WORD.source}`);

function parseKeyWords(purpose: string): EntryInfo {
  const [free, ...pairs] = purpose.split(KEY_WORD);
  const words = pairsOf(pairs);
  return {
    endToEndId: referenceOf(words.get("EREF")),
    instructionId: referenceOf(words.get("KREF")),
    mandateId: referenceOf(words.get("MREF")),
    text: joinTexts([free, words.get("SVWZ")]),
    name: textOf(words.get("ANAM")),
    account: textOf(words.get("IBAN")),
  };
}

const CODE_WORD =
  /\/(TRTP|TRCD|IBAN|BIC|NAME|REMI|EREF|PREF|CSID|MARF|CNTP|ORDP|BENM|ISDT|RTRN|PURP|ULTC|ULTD|ULTB|ADDR|OCMT|CHGS|EXCH|ID|SVCL|INIT|SUBC|CREF|IREF)\//;
const CODE_WORD_FIRST = new RegExp(`^\\s*${CODE_WORD.source}`);

function parseCodeWords(text: string): EntryInfo {
  const [, ...pairs] = text.split(CODE_WORD);
  const words = pairsOf(pairs);
  // A counterparty is an account, a BIC, a name and a city.
  const [account, , name] = (words.get("CNTP") ?? "").split("/");
  const remittance = (words.get("REMI") ?? "").replace(/^(?:USTD|STRD)\/[^/]*\//, "");
  return {
    endToEndId: referenceOf(slashless(words.get("EREF"))),
    instructionId: referenceOf(slashless(words.get("IREF") ?? words.get("CREF"))),
    mandateId: referenceOf(slashless(words.get("MARF"))),
    batchId: referenceOf(slashless(words.get("PREF"))),
    text: joinTexts([slashless(remittance)]) ?? textOf(slashless(words.get("TRTP"))),
    name: textOf(name) ?? textOf(slashless(words.get("NAME"))),
    account: textOf(account) ?? textOf(slashless(words.get("IBAN"))),
  };
}

/** A value without the slashes and the white space that end it. */
function slashless(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  let end = text.length;
  while (end > 0 && /[\s/]/.test(text[end - 1] ?? "")) end--;
  return text.slice(0, end);
}

/** The values of words by the first place of each. */
function pairsOf(pairs: readonly string[]): Map<string, string> {
  const words = new Map<string, string>();
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const [word = "", value = ""] = pairs.slice(i, i + 2);
    if (!words.has(word)) words.set(word, value);
  }
  return words;
}
