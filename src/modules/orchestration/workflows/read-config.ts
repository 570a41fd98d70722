import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import { WorkflowConfigError } from "#modules/orchestration/core/config-error.ts";
import { parseConfig, type WorkflowConfig } from "#modules/orchestration/core/config.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** Largest configuration, in bytes of its text. */
export const CONFIG_BYTES_MAX = 262_144;
/** Deepest nesting of a configuration, because the parser of YAML is recursive. */
const DEPTH_MAX = 50;

/** Reads a configuration from JSON. Throws `VALIDATION` with the path of the first problem. */
export function readConfig(value: unknown): WorkflowConfig {
  try {
    return assertSmall(parseConfig(value));
  } catch (error) {
    throw refusalOf(error, ({ path }) => path.join("."));
  }
}

/** Reads a configuration from YAML. Throws `VALIDATION` with the line and the column of the first problem. */
export function readYamlConfig(text: string): WorkflowConfig {
  assertShallow(text);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    intAsBigInt: true,
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: true,
    version: "1.2",
  });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new AppError("VALIDATION", `unmarshalling yaml: ${problem.message}`, {
      details: `line ${line}, column ${col}`,
    });
  }
  try {
    return assertSmall(parseConfig(toJson(document)));
  } catch (error) {
    throw refusalOf(error, ({ path }) => placeOf(document, lines, path));
  }
}

/** The value of a document as JSON has it. Aliases are refused, because a few of them can stand for billions of values. */
function toJson(document: Document.Parsed): unknown {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new WorkflowConfigError("aliases are not supported", []);
  }
  const text = stringifyJson(value ?? null);
  try {
    return parseJson(text);
  } catch (error) {
    // A text of YAML may escape characters that no storage keeps.
    if (!(error instanceof SyntaxError)) throw error;
    throw new WorkflowConfigError(error.message, []);
  }
}

/** The line and column of a value, or of the nearest value around it. */
function placeOf(
  document: Document,
  lines: LineCounter,
  path: WorkflowConfigError["path"],
): string {
  for (let length = path.length; length >= 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (!isNode(node) || node.range === undefined || node.range === null) continue;
    const { line, col } = lines.linePos(node.range[0]);
    return `line ${line}, column ${col}`;
  }
  return "line 1, column 1";
}

function refusalOf(error: unknown, placeIn: (error: WorkflowConfigError) => string): unknown {
  if (!(error instanceof WorkflowConfigError)) return error;
  const place = placeIn(error);
  return new AppError("VALIDATION", `creating workflow: ${error.message}`, {
    cause: error,
    ...(place === "" ? {} : { details: place }),
  });
}

function assertSmall(config: WorkflowConfig): WorkflowConfig {
  if (new TextEncoder().encode(stringifyJson(config)).byteLength > CONFIG_BYTES_MAX) {
    throw new WorkflowConfigError(`the configuration is larger than ${CONFIG_BYTES_MAX} bytes`, []);
  }
  return config;
}

/** Throws `VALIDATION` for a text whose brackets or indentation could exhaust the stack. */
function assertShallow(text: string): void {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
    deepest = Math.max(deepest, depth);
  }
  const dashes = /(?:^|\n) *(?:[-?] +){50}/.test(text);
  const indented = text.split("\n").some((line) => line.search(/[^ ]/) > INDENTATION_MAX);
  if (deepest <= DEPTH_MAX && !dashes && !indented) return;
  throw new AppError("VALIDATION", `unmarshalling yaml: it is nested deeper than ${DEPTH_MAX}`);
}

/** Widest indentation, in spaces. */
const INDENTATION_MAX = 400;
