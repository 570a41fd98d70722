import { z } from "zod";
import { OperatorError } from "#platform/errors.ts";
import { parseJson } from "#platform/json.ts";

/** A call of an operation without a body. */
export interface BackupCall {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** Parameters of the query; those without a value are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** The operations of a deployment by which a backup reads, from a command or in the process of the Worker. */
export interface BackupReads {
  /** The body of a successful answer. Throws `RefusedCall` for a refusal, and `UnclearError` for an answer of a broken server, or none. */
  call<S extends z.ZodType>(request: BackupCall & { readonly answer: S }): Promise<z.output<S>>;
  /** A successful answer as it is. Throws as `call` does. */
  send(request: BackupCall): Promise<Response>;
  /** Waits before a call is repeated, in milliseconds; those of `patience.ts` by default. */
  readonly waitsMs?: readonly number[];
}

/** The failure of a call that may have been carried out nevertheless: the server gave no answer, or one of a broken server. */
export class UnclearError extends OperatorError {
  override name = "UnclearError";
  /** The `details` of the answer, if it has some. */
  readonly details: string | undefined;

  constructor(sentence: string, { cause, details }: { cause?: unknown; details?: string } = {}) {
    super(sentence, { cause });
    this.details = details;
  }
}

/** The refusal of a call, with its status: nothing was done. */
export class RefusedCall extends OperatorError {
  override name = "RefusedCall";
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

const SERVER_FAILURE_MIN = 500;
const Refusal = z.object({ errorMessage: z.string(), details: z.string().optional() });

/** The error of an answer that is no success, from its status and its body. */
export function failureOf(status: number, body: string): OperatorError {
  const { sentence, details } = readRefusal(status, body);
  return status < SERVER_FAILURE_MIN
    ? new RefusedCall(status, sentence)
    : new UnclearError(sentence, details === undefined ? {} : { details });
}

/** The sentence of a refusal, without the code in brackets, which is for programs, and its details. */
function readRefusal(
  status: number,
  body: string,
): { readonly sentence: string; readonly details?: string | undefined } {
  try {
    const { errorMessage, details } = Refusal.parse(parseJson(body));
    return { sentence: `The server refuses: ${errorMessage.replace(/^\[\w+\] /, "")}`, details };
  } catch {
    return { sentence: `The server answers ${status}: ${body}` }; // The body is not Florin's own error body.
  }
}

/** The bytes of an answer. Throws `UnclearError` where it breaks off. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } catch (cause) {
    throw new UnclearError("The server has broken off its answer.", { cause });
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
