import type { StatementFormat } from "#modules/reconciliation/core/statements/model/options.ts";
import { ENVELOPE } from "#modules/reconciliation/core/statements/mt/mt-fields.ts";
import { containerError } from "#modules/reconciliation/core/statements/text/containers.ts";

/** How many bytes of a file are enough for `detectFormat`. */
export const DETECTED_BYTES = 4_096;

/**
 * The formats that a file may have, from its first bytes; none if these fit no format. Several candidates are in no order: the sender has to
 * choose. A file that fits `csv` needs a mapping.
 */
export function detectFormat(first: Uint8Array): StatementFormat[] {
  const bytes = first.subarray(0, DETECTED_BYTES);
  if (containerError(bytes) !== undefined) return [];
  const text = textOf(bytes).trimStart();
  if (text.includes("\0")) return [];
  if (isMessage(text)) return messageFormats(text);
  const formats = DETECTORS.find(({ begins }) => begins.test(text));
  return formats === undefined ? tableFormats(text) : formats.formats(text);
}

/** The text of a beginning, whose bytes beyond ASCII do not matter. */
function textOf(bytes: Uint8Array): string {
  const isMarked = (...mark: readonly number[]): boolean =>
    mark.every((byte, i) => bytes[i] === byte);
  if (isMarked(0xff, 0xfe)) return new TextDecoder("utf-16le").decode(bytes);
  if (isMarked(0xfe, 0xff)) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder("windows-1252").decode(bytes.subarray(isMarked(0xef, 0xbb, 0xbf) ? 3 : 0));
}

interface Detector {
  readonly begins: RegExp;
  readonly formats: (text: string) => StatementFormat[];
}

const DETECTORS: readonly Detector[] = [
  { begins: /^OFXHEADER:|^<OFX[\s>]|^<\?OFX/, formats: () => ["ofx"] },
  {
    begins: /^<(?:[?!]|\w)/,
    formats: (text) => {
      if (/urn:iso:std:iso:20022:tech:xsd:camt\.053\./.test(text)) return ["camt.053"];
      return /<\?OFX|<OFX[\s>]/.test(text) ? ["ofx"] : [];
    },
  },
  { begins: /^01,[^,\n]*,[^,\n]*,\d{6},/, formats: () => ["bai2"] },
  {
    begins: /^\{\s*"/,
    formats: (text) => (/"(?:amount|statement)"\s*:/.test(text) ? ["json-lines"] : []),
  },
];

/** Headers of SWIFT or of a bank before the first field. */
const ENVELOPE_LINES_MAX = 8;

function isMessage(text: string): boolean {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  const first = lines.findIndex((line) => !ENVELOPE.test(line));
  return first <= ENVELOPE_LINES_MAX && lines[first]?.startsWith(":20:") === true;
}

function messageFormats(text: string): StatementFormat[] {
  if (/^:6[02][FM]:/m.test(text) || /\{2:[IO]940/.test(text)) return ["mt940"];
  if (/^:(?:34F|13D|90[CD]):/m.test(text) || /\{2:[IO]942/.test(text)) return ["mt942"];
  return /^:25P?:/m.test(text) ? ["mt940", "mt942"] : [];
}

const STRIPE_COLUMNS = ["balance_transaction_id", "reporting_category", "gross", "fee", "net"];
const ADYEN_COLUMNS = ["Psp Reference", "Gross Debit (GC)", "Net Credit (NC)", "Batch Number"];

function tableFormats(text: string): StatementFormat[] {
  const lines = text.split(/\r\n|\n|\r/);
  const header = new Set(
    (lines[0] ?? "").split(",").map((name) => name.replaceAll('"', "").trim()),
  );
  if (STRIPE_COLUMNS.every((name) => header.has(name))) return ["stripe-balance"];
  if (ADYEN_COLUMNS.every((name) => header.has(name))) return ["adyen-settlement"];
  // Delimiters and line ends inside of quotes count for nothing.
  const plain = text.replaceAll(/"[^"]*"/g, "").split(/\r\n|\n|\r/);
  return isTable(plain) ? ["csv"] : [];
}

/** Whether three lines in a row, or all of a short file, have the same number of a delimiter, at least two. */
function isTable(lines: readonly string[]): boolean {
  const whole = lines.slice(0, -1).filter((line) => line.trim() !== "");
  return [";", ",", "\t", "|"].some((delimiter) => {
    const counts = whole.map((line) => line.split(delimiter).length - 1);
    return counts.some(
      (count, i) =>
        count >= 2 &&
        counts[i + 1] === count &&
        (counts[i + 2] ?? count) === count &&
        i + 1 < counts.length,
    );
  });
}
