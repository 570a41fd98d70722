import { TextCursor } from "./text-cursor.ts";
import { type Encoding, ENCODINGS } from "#modules/reconciliation/core/statements/model/options.ts";
import {
  FILE_START,
  type FilePosition,
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
  /** The ASCII text before the name. */
  readonly before: string;
}

/** What precedes the name is ASCII, so that it has one byte a character. */
const XML_DECLARATION =
  /^<\?xml[\t\n\r -=?-~]{0,200}?[\t\n\r ]encoding[\t\n\r ]*=[\t\n\r ]*["']([^"'<>]{1,40})["']/;
/** A header of OFX 1: `ENCODING:USASCII` and, after white space, `CHARSET:1252`. */
const OFX_HEADER =
  /^[\t\n\r ]*OFXHEADER:[\t\n\r -;=-~]{0,200}?ENCODING:[\t ]*([A-Z0-9-]{1,20})[\t\n\r ]{1,4}CHARSET:[\t ]*([A-Z0-9-]{1,20})/;
/** Names of character sets in headers of OFX 1, where `NONE` goes with an encoding of Unicode or ASCII. */
const CHARSETS: Readonly<Record<string, Encoding>> = {
  NONE: "utf-8",
  "1252": "windows-1252",
  "8859-1": "iso-8859-1",
  "ISO-8859-1": "iso-8859-1",
};

function declaredEncoding(first: Uint8Array): Declared | undefined {
  const text = String.fromCharCode(...first.subarray(0, 400));
  const xml = XML_DECLARATION.exec(text);
  if (xml !== null) {
    const [all, name = ""] = xml;
    const before = all.slice(0, -name.length - 1);
    return { name, encoding: NAMES[name.toLowerCase()], before };
  }
  const ofx = OFX_HEADER.exec(text);
  if (ofx === null) return undefined;
  const [all, encoding = "", charset = ""] = ofx;
  if (/^(?:UTF-?8|UNICODE)$/.test(encoding))
    return { name: encoding, encoding: "utf-8", before: all.slice(0, all.lastIndexOf(encoding)) };
  return { name: charset, encoding: CHARSETS[charset], before: all.slice(0, -charset.length) };
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

/** Where the name of a declaration stands. */
function declaredAt({ before }: Declared): FilePosition {
  const cursor = new TextCursor("utf-8", FILE_START);
  cursor.advance(before);
  return cursor.position;
}
