import { AppError } from "#platform/errors.ts";
import { parseRequestJson } from "#platform/request-json.ts";

/** Largest request body, in bytes, unless an operation sets its own limit. */
export const BODY_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Reads a body as UTF-8 text, at most `bytesMax` bytes of it. Throws `BODY_TOO_LARGE`, or `VALIDATION` if the body is not
 * UTF-8 or breaks off.
 */
export async function readText(request: Request, bytesMax: number): Promise<string> {
  if (request.body === null) return "";
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > bytesMax) throw tooLarge(bytesMax);
  // The usual case is read in one step: HTTP holds a body to its declared length.
  if (declared !== null) return decode([await readBytes(request)]);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of readChunks(request)) {
    size += chunk.byteLength;
    if (size > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return decode(chunks);
}

async function readBytes(request: Request): Promise<Uint8Array> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch (error) {
    throw brokenOff(error);
  }
}

/**
 * The chunks of a body as they arrive. Throws `VALIDATION` if the body breaks off. If the caller stops early, a part of the rest is read
 * nevertheless, because many clients read no answer before they have sent the whole body.
 */
export async function* readChunks(request: Request): AsyncGenerator<Uint8Array> {
  if (request.body === null) return;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isOver = done;
      if (done) return;
      yield value;
    }
  } catch (error) {
    isOver = true;
    throw brokenOff(error);
  } finally {
    if (!isOver) await discard(reader);
  }
}

/** The failure of a body whose client went away, sent less than it declared, or framed its chunks in a way that HTTP does not know. */
const brokenOff = (cause: unknown): AppError =>
  new AppError("VALIDATION", "the body broke off", { cause });

/** Most bytes that are read of an unwanted body, and the longest time of reading, in milliseconds. */
const DISCARDED_BYTES_MAX = 32 * 1024 * 1024;
const DISCARD_MS_MAX = 2000;

async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(cancel, DISCARD_MS_MAX);
  try {
    for (let size = 0; size < DISCARDED_BYTES_MAX;) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.byteLength;
    }
    cancel();
  } catch {
    // The client has gone, so the error needs no answer.
  } finally {
    clearTimeout(timer);
  }
}

/** The content type of a body, without parameters; empty if there is none. */
export const contentTypeOf = (request: Request): string =>
  (request.headers.get("content-type")?.split(";")[0] ?? "").trim();

/** Parses a JSON body. An empty body gives `undefined`, which the caller may refuse. */
export const parseBody = (text: string): unknown =>
  text.trim() === "" ? undefined : parseRequestJson(text, "the body");

/** Parameters by name: a text, or a list of texts for a repeated name. */
export type Parameters = Record<string, string | string[]>;

/** Collects parameters. A parameter with an empty text counts as absent. */
export function toParameters(pairs: Iterable<readonly [string, string]>): Parameters {
  const parameters = new Map<string, string | string[]>();
  for (const [name, value] of pairs) {
    if (value === "") continue;
    const known = parameters.get(name);
    if (Array.isArray(known)) known.push(value);
    else parameters.set(name, known === undefined ? value : [known, value]);
  }
  return Object.fromEntries(parameters);
}

/** Parses `application/x-www-form-urlencoded` text: a body, whatever its content type says, or a query. */
export function parseForm(text: string, what: "body" | "query" = "body"): Parameters {
  const pairs = text.split("&").map((pair): [string, string] => {
    const end = pair.indexOf("=");
    if (end === -1) return [decodeFormText(pair, what), ""];
    return [decodeFormText(pair.slice(0, end), what), decodeFormText(pair.slice(end + 1), what)];
  });
  return toParameters(pairs);
}

const ENCODED = /[%+]/;

function decodeFormText(text: string, what: "body" | "query"): string {
  const decoded = ENCODED.test(text) ? percentDecoded(text) : text;
  if (decoded !== undefined) return decoded;
  throw new AppError(
    "VALIDATION",
    `the ${what} is not a valid form: its percent encoding is broken`,
  );
}

/** The decoded text of a form; undefined if its percent encoding is broken. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined; // The only possible error is a malformed sequence.
  }
}

const newDecoder = () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
/** A decoder for whole bodies only, so that no state of one body reaches the next. */
const wholeDecoder = newDecoder();

function decode(chunks: readonly Uint8Array[]): string {
  try {
    const [first, ...others] = chunks;
    if (others.length === 0) return wholeDecoder.decode(first);
    const decoder = newDecoder();
    const head = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("");
    return head + decoder.decode();
  } catch (error) {
    throw new AppError("VALIDATION", "the body is not valid UTF-8", { cause: error });
  }
}

const tooLarge = (bytesMax: number): AppError =>
  new AppError("BODY_TOO_LARGE", `the body is larger than ${bytesMax} bytes`);
