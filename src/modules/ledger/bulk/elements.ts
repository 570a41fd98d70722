import { JsonSplitter } from "./json-splitter.ts";
import { type ScriptItem, ScriptSplitter } from "./script-splitter.ts";
import type { Splitter } from "./splitter.ts";
import { parseBulkElement, toBulkElement, type BulkElement } from "#ledger-engine";
import type { BulkElementRequest } from "#modules/ledger/wire/schemas.ts";
import { AppError } from "#platform/errors.ts";
import { parseRequestJson } from "#platform/request-json.ts";
import { attempt, type Result, toFailure } from "#platform/result.ts";

export type BulkAction = BulkElementRequest["action"];

/** An element of a stream, ready to be executed. */
export interface StreamElement {
  readonly action: BulkAction;
  readonly element: BulkElement;
  /** Approximate size in the stream, in bytes. */
  readonly size: number;
}

/** The format in which the elements of a stream are written. */
export type StreamFormat = "json" | "script";

/** The elements of a stream, as its chunks arrive. A failure of the stream or of an element is the last result. */
export function readElements(
  chunks: AsyncIterable<Uint8Array>,
  format: StreamFormat,
): AsyncGenerator<Result<StreamElement>> {
  return format === "json"
    ? elementsOf(chunks, { splitter: new JsonSplitter(), parse: parseText })
    : elementsOf(chunks, { splitter: new ScriptSplitter(), parse: parseScript });
}

interface ElementFormat<T> {
  readonly splitter: Splitter<T>;
  /** Reads a piece as the request for an element. Returns the request and its size. Throws `VALIDATION`. */
  readonly parse: (piece: T, index: number) => { request: unknown; size: number };
}

async function* elementsOf<T>(
  chunks: AsyncIterable<Uint8Array>,
  { splitter, parse }: ElementFormat<T>,
): AsyncGenerator<Result<StreamElement>> {
  let index = 0;
  try {
    for await (const pieces of piecesOf(chunks, splitter)) {
      for (const piece of pieces) {
        const element = toElement(piece, { parse, index });
        yield element;
        if (!element.ok) return;
        index++;
      }
    }
  } catch (error) {
    // The stream itself has broken off.
    if (!(error instanceof AppError)) throw error;
    yield { ok: false, failure: toFailure(error) };
  }
}

async function* piecesOf<T>(
  chunks: AsyncIterable<Uint8Array>,
  splitter: Splitter<T>,
): AsyncGenerator<Iterable<Result<T>>> {
  for await (const chunk of chunks) yield splitter.push(chunk);
  yield splitter.end();
}

function toElement<T>(
  piece: Result<T>,
  { parse, index }: { parse: ElementFormat<T>["parse"]; index: number },
): Result<StreamElement> {
  if (!piece.ok) {
    const message = `element ${index}: ${piece.failure.message}`;
    return { ok: false, failure: { ...piece.failure, message } };
  }
  return attempt(() => {
    const { request, size } = parse(piece.value, index);
    const checked = parseBulkElement(request, index);
    return { action: checked.action, element: toBulkElement(checked), size };
  });
}

const parseText = (text: string, index: number) => ({
  request: parseRequestJson(text, `element ${index}: it`),
  size: text.length,
});

/** The request for an element that runs a script. */
const parseScript = ({ idempotencyKey, plain }: ScriptItem) => ({
  request: {
    action: "CREATE_TRANSACTION",
    ik: idempotencyKey,
    data: { script: { plain } },
  },
  size: plain.length,
});
