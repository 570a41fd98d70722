import { type Encoding, ENCODINGS } from "#modules/reconciliation/core/statements/model/options.ts";
import {
  FILE_START,
  quoteText,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";

/** How the bytes of a file become text. */
export interface FileEncoding {
  readonly encoding: Encoding;
  /** The length of the byte order mark. */
  readonly markBytes: number;
}

const MARKS: readonly (readonly [Encoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** Names of encodings in XML declarations and OFX headers, in lower case. */
const NAMES: Readonly<Record<string, Encoding>> = {
  ...Object.fromEntries(ENCODINGS.map((name) => [name, name])),
  "us-ascii": "utf-8",
  ascii: "utf-8",
  utf8: "utf-8",
  latin1: "iso-8859-1",
  cp1252: "windows-1252",
};

/**
 * The encoding of a file from its first bytes: a byte order mark decides; then the option; then what an XML declaration or an OFX header
 * says. Otherwise it is UTF-8.
 */
export function fileEncoding(first: Uint8Array, option: Encoding | undefined): FileEncoding {
  const mark = MARKS.find(([, bytes]) => bytes.every((byte, i) => first[i] === byte));
  const declared = declaredEncoding(first.subarray(mark?.[0] === "utf-8" ? 3 : 0));
  if (mark === undefined)
    return { encoding: option ?? withoutMark(declared) ?? "utf-8", markBytes: 0 };
  const [encoding, bytes] = mark;
  if (declared !== undefined && declared.encoding !== encoding && encoding === "utf-8") {
    throw new StatementError(
      "ENCODING",
      `The file declares ${quoteText(declared.name)}, but begins with the byte order mark of UTF-8.`,
      declaredAt(declared),
    );
  }
  return { encoding, markBytes: bytes.length };
}

interface Declared {
  readonly name: string;
  readonly encoding: Encoding | undefined;
  readonly index: number;
}

const XML_DECLARATION = /^<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([^"'<>]{1,40})["']/;
/** A header of OFX 1: `ENCODING:USASCII` and, two characters after it at the most, `CHARSET:1252`. */
const OFX_HEADER =
  /^\s*OFXHEADER:[^<]{0,200}?ENCODING:\s*([A-Z0-9-]{1,20})\s{1,4}CHARSET:\s*([A-Z0-9-]{1,20})/;

function declaredEncoding(first: Uint8Array): Declared | undefined {
  const text = String.fromCharCode(...first.subarray(0, 400));
  const xml = XML_DECLARATION.exec(text);
  if (xml !== null) {
    const name = xml[1] ?? "";
    return { name, encoding: NAMES[name.toLowerCase()], index: xml[0].length - name.length - 1 };
  }
  const ofx = OFX_HEADER.exec(text);
  if (ofx === null) return undefined;
  const [all, encoding = "", charset = ""] = ofx;
  const isUnicode = /^(?:UTF-?8|UNICODE)$/.test(encoding);
  const index = isUnicode ? all.indexOf(encoding) : all.length - charset.length;
  if (isUnicode) return { name: encoding, encoding: "utf-8", index };
  if (charset === "NONE") return { name: encoding, encoding: "utf-8", index };
  const known: Readonly<Record<string, Encoding>> = {
    "1252": "windows-1252",
    "8859-1": "iso-8859-1",
    "ISO-8859-1": "iso-8859-1",
  };
  return { name: charset, encoding: known[charset], index };
}

/** The encoding that a file without a byte order mark declares. UTF-16 needs a mark. */
function withoutMark(declared: Declared | undefined): Encoding | undefined {
  if (declared === undefined) return undefined;
  const { encoding } = declared;
  if (encoding !== undefined && !encoding.startsWith("utf-16")) return encoding;
  throw new StatementError(
    "ENCODING",
    encoding === undefined
      ? `The file declares the encoding ${quoteText(declared.name)}, which is not one of ${ENCODINGS.join(", ")}.`
      : `The file declares ${quoteText(declared.name)}, but has no byte order mark and begins with single bytes.`,
    declaredAt(declared),
  );
}

/** Where a declaration stands; nothing but ASCII precedes it. A header of OFX 1 has line ends before it. */
const declaredAt = ({ index }: Declared) => ({ ...FILE_START, column: index + 1, byte: index });
