import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { OperatorError } from "#platform/errors.ts";

/** The id and the hash of a log entry, and the SHA-256 of its line. */
export interface LineMark {
  readonly id: number;
  readonly hash: string;
  readonly line: string;
}

/** Whole lines of a log, and their first and last one. */
export interface WholeLines {
  readonly bytes: Buffer;
  readonly count: number;
  readonly first: string;
  readonly last: string;
}

/** The end of an entry's line: a text in it cannot look the same, because its quotes are escaped. */
const END =
  /"idempotencyHash":"[^"\\]*","id":(\d+),"hash":"([^"\\]*)"(?:,"schemaVersion":"(?:[^"\\]|\\.)*")?\}$/;

export function markOf(line: string): LineMark {
  const [, id = "", hash = ""] = END.exec(line) ?? [];
  if (id === "")
    throw new OperatorError(
      `The server has sent a line that is no log entry: ${line.slice(0, 200)}`,
    );
  return { id: Number(id), hash, line: createHash("sha256").update(line).digest("hex") };
}

const NEWLINE = 10;

/** Cuts an answer into its whole lines: what comes after the last one is kept until its end arrives. */
export class LineCutter {
  #rest: Buffer[] = [];

  /** The whole lines that a chunk completes; undefined if there is none. */
  cut(chunk: Uint8Array): WholeLines | undefined {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      this.#rest.push(bytes);
      return undefined;
    }
    const whole = Buffer.concat([...this.#rest, bytes.subarray(0, end)]);
    this.#rest = end === bytes.length ? [] : [bytes.subarray(end)];
    let count = 0;
    for (let at = whole.indexOf(NEWLINE); at !== -1; at = whole.indexOf(NEWLINE, at + 1)) count++;
    const lastBegin = whole.lastIndexOf(NEWLINE, whole.length - 2) + 1;
    return {
      bytes: whole,
      count,
      first: whole.toString("utf8", 0, whole.indexOf(NEWLINE)),
      last: whole.toString("utf8", lastBegin, whole.length - 1),
    };
  }
}

/** Lines without the first one. */
export function withoutFirst({ bytes, count, last }: WholeLines): WholeLines | undefined {
  if (count === 1) return undefined;
  const rest = bytes.subarray(bytes.indexOf(NEWLINE) + 1);
  return {
    bytes: rest,
    count: count - 1,
    first: rest.toString("utf8", 0, rest.indexOf(NEWLINE)),
    last,
  };
}
