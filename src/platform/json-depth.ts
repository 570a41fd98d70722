import { endOfString } from "./v8-escaped-keys.ts";

/**
 * Deepest nesting of arrays and objects in parsed JSON. Code that walks a value recurses once for each level, and the stack of a Worker
 * holds some thousand calls. The deepest legitimate document is the export of a schema, whose chart has 128 levels.
 */
export const JSON_DEPTH_MAX = 200;

/** The error for a text whose arrays and objects are nested deeper than `JSON_DEPTH_MAX` levels. */
export class JsonDepthError extends SyntaxError {
  constructor() {
    super(`it is nested deeper than ${JSON_DEPTH_MAX} levels`);
    this.name = "JsonDepthError";
  }
}

/** Throws `JsonDepthError` for a text that is nested too deep. The text need not be valid JSON. */
export function assertShallow(text: string): void {
  // Every level takes two characters, and most texts are too short to be nested too deep.
  if (text.length <= 2 * JSON_DEPTH_MAX) return;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = endOfString(text, index) - 1;
    else if (unit === BRACE_OPEN || unit === BRACKET_OPEN) depth++;
    else if (unit === BRACE_CLOSE || unit === BRACKET_CLOSE) depth--;
    if (depth > JSON_DEPTH_MAX) throw new JsonDepthError();
  }
}

const QUOTE = 0x22;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
