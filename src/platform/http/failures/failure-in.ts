import type { FailureFacts } from "#platform/http/context.ts";
import { parseJson } from "#platform/json.ts";

/** Longest body that stays in memory for the list of failed requests, in characters. A message about a longer body is not stored. */
export const KEPT_LENGTH_MAX = 16_384;

/** An answer that is no exception, such as that of a bulk. */
interface FailedAnswer {
  readonly body?: unknown;
  /** The body, if it is already serialised. */
  readonly written?: string;
  /** The members that follow a list. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** The code and the message of an answer that says itself that the request has failed. */
export function failureIn(answer: object): FailureFacts {
  const { body, written, members }: FailedAnswer = answer;
  const told = members ?? (written === undefined ? body : endOf(written));
  if (typeof told !== "object" || told === null) return { code: "", message: "" };
  const { errorCode, errorMessage } = told as Readonly<Record<string, unknown>>;
  const code = typeof errorCode === "string" ? errorCode : "";
  const message = typeof errorMessage === "string" ? errorMessage : "";
  return { code, message: message.replace(`[${code}] `, "") };
}

/** The members from the last `errorCode` of a long text on, without the results before it. */
function endOf(written: string): unknown {
  const at = written.lastIndexOf('"errorCode":');
  if (at === -1) return undefined;
  try {
    return parseJson(`{${written.slice(at)}`);
  } catch {
    return undefined; // The code belongs to one of the results.
  }
}
