import {
  FILE_START,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";

/** Files that are no text, by their first bytes. */
const ARCHIVES: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ["a zip archive (as .xlsx files are, too)", [0x50, 0x4b, 0x03, 0x04]],
  ["an empty zip archive", [0x50, 0x4b, 0x05, 0x06]],
  ["a gzip archive", [0x1f, 0x8b]],
  ["a bzip2 archive", [0x42, 0x5a, 0x68, 0x39]],
  ["an xz archive", [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ["a zstd archive", [0x28, 0xb5, 0x2f, 0xfd]],
  ["a 7z archive", [0x37, 0x7a, 0xbc, 0xaf]],
];
const DOCUMENTS: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ["a PDF document", [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ["a document of Office before 2007, as .xls files are", [0xd0, 0xcf, 0x11, 0xe0]],
];

const startsWith = (file: Uint8Array, bytes: readonly number[]): boolean =>
  bytes.every((byte, i) => file[i] === byte);

/** Why a file is no text, if its first bytes tell. */
export function containerError(file: Uint8Array): StatementError | undefined {
  const archive = ARCHIVES.find(([, bytes]) => startsWith(file, bytes));
  if (archive !== undefined) {
    const message = `The file is ${archive[0]}: unpack it, and send the statement that is in it.`;
    return new StatementError("COMPRESSED", message, FILE_START);
  }
  const document = DOCUMENTS.find(([, bytes]) => startsWith(file, bytes));
  if (document === undefined) return undefined;
  return new StatementError(
    "UNSUPPORTED",
    `The file is ${document[0]}, and no statement.`,
    FILE_START,
  );
}
