import type { FileLine } from "./line.ts";
import { type UnstoredLine, readFile } from "./read-file.ts";
import type { ReadingOptions } from "./reading.ts";
import type { Preview } from "./statement.ts";
import { currencyDecimals } from "#modules/payments/index.ts";
import { detectFormat } from "#modules/reconciliation/core/statements/index.ts";

/** Lines that a preview shows. */
const SHOWN_MAX = 50;
/** Lines between two pauses, in which others have their turn. */
const PAUSE_LINES = 500;

/**
 * Reads the content of a file, or its beginning, and stores nothing. A beginning is read as far as it goes: what its end leaves open is no
 * error, and statements that have not ended have no head.
 */
export async function previewFile(
  content: Uint8Array,
  options: ReadingOptions,
  { isPartial }: { readonly isPartial: boolean },
): Promise<Preview> {
  const formats = options.format === undefined ? detectFormat(content) : [options.format];
  const lines: FileLine[] = [];
  let linesRead = 0;
  const add = (line: UnstoredLine): Promise<void> | undefined => {
    linesRead++;
    if (lines.length < SHOWN_MAX) lines.push({ ...line, key: linesRead, statementID: "" });
    return linesRead % PAUSE_LINES === 0 ? scheduler.wait(0) : undefined;
  };
  const sink = { add, decimalsOf: currencyDecimals };
  try {
    const verdict = await readFile(contentOf(content, isPartial), options, sink);
    return verdict.isRead
      ? {
          formats,
          format: verdict.format,
          heads: verdict.heads,
          lines,
          linesRead,
          refusal: undefined,
        }
      : { formats, format: verdict.format, heads: [], lines, linesRead, refusal: verdict.refusal };
  } catch (error) {
    if (!(error instanceof ContentOver)) throw error;
    const format = options.format ?? (options.mapping === undefined ? formats[0] : "csv");
    return { formats, format, heads: [], lines, linesRead, refusal: undefined };
  }
}

/** A reader gives no line of the piece that has the first error. */
const PIECE_BYTES = 256;

async function* contentOf(content: Uint8Array, isPartial: boolean): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.byteLength; at += PIECE_BYTES) {
    yield content.subarray(at, at + PIECE_BYTES);
  }
  if (isPartial) throw new ContentOver();
}

/** The beginning of a file is over, and the rest of the file is unknown. */
class ContentOver extends Error {
  override readonly name = "ContentOver";
}
