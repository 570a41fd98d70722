import { AppError } from "./errors.ts";
import { JSON_DEPTH_MAX, JsonDepthError } from "./json-depth.ts";
import { parseJson } from "./json.ts";

/** Parses JSON of a request; `what` is the subject of the error's sentence. Throws `VALIDATION`. */
export function parseRequestJson(text: string, what: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonDepthError) {
      const message = `${what} is nested deeper than ${JSON_DEPTH_MAX} levels`;
      throw new AppError("VALIDATION", message, { cause: error });
    }
    const details = error instanceof Error ? error.message : "";
    throw new AppError("VALIDATION", `${what} is not valid JSON`, { cause: error, details });
  }
}
