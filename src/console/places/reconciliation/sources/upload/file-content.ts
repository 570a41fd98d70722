import type { StatementSource } from "#console/places/reconciliation/queries/sources.ts";

/** The beginning of a file that a preview reads, in bytes. */
const PREVIEW_BYTES_MAX = 256 * 1024;
/** Bytes that become text at once: more arguments than a call takes at once would fail. */
const CHUNK_BYTES = 0x80_00;

/** A file that was chosen, as far as a preview reads it. */
export interface ChosenFile {
  /** Tells files apart that are chosen one after the other, also the same one twice. */
  readonly id: string;
  readonly file: File;
  /** The beginning in base64. */
  readonly content: string;
  /** The beginning as text. */
  readonly text: string;
  readonly isPartial: boolean;
}

/** Reads the beginning of a file. Throws if the browser cannot read it. */
export async function readBeginning(
  file: File,
  encoding: StatementSource["encoding"],
): Promise<ChosenFile> {
  const bytes = new Uint8Array(await file.slice(0, PREVIEW_BYTES_MAX).arrayBuffer());
  const isPartial = file.size > PREVIEW_BYTES_MAX;
  return {
    id: crypto.randomUUID(),
    file,
    content: toBase64(bytes),
    text: new TextDecoder(encoding ?? encodingOf(bytes)).decode(bytes, { stream: isPartial }),
    isPartial,
  };
}

/** UTF-16 has a mark at the beginning; bytes that are no UTF-8 are taken for the code page of Western Europe. */
function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    text += String.fromCodePoint(...bytes.subarray(at, at + CHUNK_BYTES));
  return btoa(text);
}
