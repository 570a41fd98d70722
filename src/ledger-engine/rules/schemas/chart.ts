import { invalid, isJsonObject, type JsonObject, memberOf, shown } from "./failures.ts";
import {
  CHART_DEPTH_MAX,
  CHART_PATTERNS_LENGTH_MAX,
  CHART_SEGMENTS_MAX,
  CHART_STATES_MAX,
  DEFAULT_METADATA_BYTES_MAX,
} from "./limits.ts";
import { Pattern, type WorkMeter } from "./pattern.ts";
import { metadataBytes } from "#ledger-engine/rules/limits.ts";
import type { Metadata } from "#ledger-engine/rules/types.ts";
import { PatternError } from "#platform/patterns/pattern-tree.ts";

/**
 * The addresses that a ledger allows, as a tree of segments. The root has only fixed segments and is not an account.
 *
 *     {"bank": {".self": {}, "fees": {}}, "users": {"$id": {".pattern": "^[0-9]+$", "main": {}}}}
 *
 *     root ─┬─ bank  (account) ─── fees  (account)
 *           └─ users ─── $id, matching ^[0-9]+$ ─── main  (account)
 */
export type Chart = ChartSegment;

export interface ChartSegment {
  readonly fixed: ReadonlyMap<string, ChartSegment>;
  /** The segment that stands for every segment that is not fixed. */
  readonly variable: VariableSegment | undefined;
  readonly isAccount: boolean;
  /** The default of each key, undefined for a key without a default. The map is undefined if the chart gives no metadata. */
  readonly metadata: ReadonlyMap<string, string | undefined> | undefined;
}

export interface VariableSegment {
  /** The name, with its `$`. */
  readonly name: string;
  readonly pattern: Pattern | undefined;
  readonly segment: ChartSegment;
}

const SEGMENT_NAME = /^[$.]?[a-zA-Z0-9_-]+$/;

/** Decodes a chart from JSON; null is an empty chart. Throws `VALIDATION` for the first fault. */
export function decodeChart(value: unknown): Chart {
  if (value !== null && !isJsonObject(value)) {
    throw invalid("invalid schema: the chart of accounts must be an object", "chart");
  }
  return new ChartDecoder().decodeRoot(value ?? {});
}

class ChartDecoder {
  #segments = 0;
  #patternLength = 0;
  #states = 0;

  decodeRoot(root: JsonObject): Chart {
    for (const key of Object.keys(root)) {
      assertName(key, []);
      if (isProperty(key))
        throw fault([], `invalid key ${shown(key)}: the root cannot be an account`);
      if (isVariable(key)) {
        throw fault([], `invalid key ${shown(key)}: root cannot have a variable segment`);
      }
    }
    return { ...this.#decodeChildren(root, []), isAccount: false, metadata: undefined };
  }

  #decodeSegment(segment: JsonObject, path: Path): ChartSegment {
    const children = this.#decodeChildren(segment, path);
    const isLeaf = children.fixed.size === 0 && children.variable === undefined;
    const isAccount = isLeaf || Object.hasOwn(segment, ".self");
    return { ...children, isAccount, metadata: decodeProperties(segment, isAccount, path) };
  }

  #decodeChildren(segment: JsonObject, path: Path): Pick<ChartSegment, "fixed" | "variable"> {
    const fixed = new Map<string, ChartSegment>();
    let variable: VariableSegment | undefined;
    for (const [name, value] of Object.entries(segment)) {
      assertName(name, path);
      if (isProperty(name)) continue;
      const child = this.#enter(name, value, path);
      if (isVariable(name)) {
        if (variable !== undefined) {
          throw fault(path, "cannot have two variable segments with the same prefix");
        }
        const pattern = this.#decodePattern(child, [...path, name]);
        variable = { name, pattern, segment: this.#decodeSegment(child, [...path, name]) };
      } else {
        if (Object.hasOwn(child, ".pattern")) {
          throw fault(path, "cannot have a pattern on a fixed segment", name);
        }
        fixed.set(name, this.#decodeSegment(child, [...path, name]));
      }
    }
    return { fixed, variable };
  }

  /** The object of a segment; null is an empty object. Throws `VALIDATION` if the chart has too many or too deep segments. */
  #enter(name: string, value: unknown, path: Path): JsonObject {
    if (value !== null && !isJsonObject(value)) {
      const what = path.length === 0 ? "invalid segment" : "invalid address segment";
      throw fault(path, `${what}: expected an object`, name);
    }
    if (++this.#segments > CHART_SEGMENTS_MAX) {
      throw invalid(`invalid schema: the chart has more than ${CHART_SEGMENTS_MAX} segments`);
    }
    if (path.length >= CHART_DEPTH_MAX) {
      throw fault(path, `segments are nested deeper than ${CHART_DEPTH_MAX} levels`);
    }
    return value ?? {};
  }

  #decodePattern(segment: JsonObject, path: Path): Pattern | undefined {
    if (!Object.hasOwn(segment, ".pattern")) return undefined;
    const container = path.slice(0, -1);
    const source = segment[".pattern"];
    if (typeof source !== "string") {
      throw fault(container, "pattern must be a string", path.at(-1));
    }
    this.#patternLength += source.length;
    if (this.#patternLength > CHART_PATTERNS_LENGTH_MAX) throw tooLargeTogether();
    const pattern = compile(source, path);
    this.#states += pattern.size;
    if (this.#states > CHART_STATES_MAX) throw tooLargeTogether();
    return pattern;
  }
}

const tooLargeTogether = (): Error =>
  invalid("invalid schema: the patterns of the chart are too large together");

/** The names of segments from the root on. */
type Path = readonly string[];

function compile(source: string, path: Path): Pattern {
  try {
    return new Pattern(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw fault(path.slice(0, -1), `invalid pattern regex: ${error.message}`, path.at(-1));
  }
}

function assertName(name: string, path: Path): void {
  if (!SEGMENT_NAME.test(name)) throw fault(path, `invalid segment name: ${shown(name)}`);
}

const isProperty = (name: string): boolean => name.startsWith(".");
const isVariable = (name: string): boolean => name.startsWith("$");

/** Checks the properties of a segment, and returns its default metadata; undefined if there is none. */
function decodeProperties(
  segment: JsonObject,
  isAccount: boolean,
  path: Path,
): ReadonlyMap<string, string | undefined> | undefined {
  if (Object.hasOwn(segment, ".self") && !isEmptyObject(segment[".self"])) {
    throw fault(path, ".self must be an empty object");
  }
  for (const name of [".metadata", ".rules"]) {
    if (Object.hasOwn(segment, name) && !isAccount) {
      throw fault(path, `cannot have ${name} on a non-account segment`);
    }
  }
  if (!isJsonObject(memberOf(segment, ".rules") ?? {})) {
    throw fault(path, "invalid account rules: expected an object");
  }
  return decodeMetadata(memberOf(segment, ".metadata"), path);
}

const isEmptyObject = (value: unknown): boolean =>
  isJsonObject(value) && Object.keys(value).length === 0;

function decodeMetadata(
  value: unknown,
  path: Path,
): ReadonlyMap<string, string | undefined> | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw fault(path, "invalid default metadata: expected an object");
  const metadata = new Map<string, string | undefined>();
  for (const [key, entry] of Object.entries(value)) {
    const members = entry ?? {};
    const standard = isJsonObject(members) ? memberOf(members, "default") : members;
    if (standard !== undefined && (typeof standard !== "string" || members === standard)) {
      throw fault(path, "invalid default metadata: expected an object with a text as `default`");
    }
    metadata.set(key, standard);
  }
  if (metadataBytes(defaultsOf(metadata)) > DEFAULT_METADATA_BYTES_MAX) {
    throw fault(path, `invalid default metadata: more than ${DEFAULT_METADATA_BYTES_MAX} bytes`);
  }
  return metadata;
}

const defaultsOf = (metadata: ReadonlyMap<string, string | undefined>): Metadata =>
  Object.fromEntries(
    [...metadata].flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );

/** An error about a chart. The message names the first segment, as on the reference server; the details have the whole path. */
function fault(path: Path, what: string, name?: string): Error {
  const [first] = path;
  const place = ["chart", ...path, ...(name === undefined ? [] : [name])].join(".");
  return invalid(
    first === undefined ? what : `invalid segment \`${shown(first)}\`: ${what}`,
    place,
  );
}

/** The JSON of a chart. Members without a meaning are left out. */
export function renderChart({ fixed, variable }: Chart): JsonObject {
  const children = [...fixed].map(([name, segment]) => [name, renderSegment(segment)] as const);
  if (variable !== undefined) {
    const { name, pattern, segment } = variable;
    const property = pattern === undefined ? {} : { ".pattern": pattern.source };
    children.push([name, { ...property, ...renderSegment(segment) }]);
  }
  return Object.fromEntries(children);
}

function renderSegment(segment: ChartSegment): JsonObject {
  const children = renderChart(segment);
  const { isAccount, metadata } = segment;
  const isMarked = isAccount && Object.keys(children).length > 0;
  return {
    ...(isMarked ? { ".self": {} } : {}),
    ...(metadata === undefined ? {} : { ".metadata": renderMetadata(metadata) }),
    ...children,
  };
}

const renderMetadata = (metadata: ReadonlyMap<string, string | undefined>): JsonObject =>
  Object.fromEntries(
    [...metadata].map(([key, value]) => [key, value === undefined ? {} : { default: value }]),
  );

/** The result of looking up an address: its account, or the violation. */
export type Resolution =
  | { readonly account: ChartSegment }
  | { readonly account?: undefined; readonly violation: Violation };

/** The reason why an address is not an account. */
export interface Violation {
  readonly what: string;
  /** The whole address and, if a segment does not match a pattern, the pattern. */
  readonly details: string;
}

/** Looks up an address. A fixed segment wins over the variable one, without backtracking. */
export function resolveAccount(chart: Chart, address: string, meter: WorkMeter): Resolution {
  const segments = address.split(":");
  let current = chart;
  for (const [index, name] of segments.entries()) {
    const next = childOf(current, name, meter);
    if (next === "mismatch") {
      const parent = segments.slice(0, index).join(":");
      const what = `segment \`${name}\` defined by the chart of accounts at \`${parent}\` does not match the pattern`;
      return { violation: { what, details: `account \`${address}\`, ${patternOf(current)}` } };
    }
    if (next === undefined || (index === segments.length - 1 && !next.isAccount)) {
      const what = unknownSegment(segments, index);
      return { violation: { what, details: `account \`${address}\`` } };
    }
    current = next;
  }
  return { account: current };
}

const patternOf = ({ variable }: ChartSegment): string =>
  `the pattern of \`${variable?.name ?? ""}\` is \`${variable?.pattern?.source ?? ""}\``;

function childOf(
  { fixed, variable }: ChartSegment,
  name: string,
  meter: WorkMeter,
): ChartSegment | "mismatch" | undefined {
  const known = fixed.get(name);
  if (known !== undefined || variable === undefined) return known;
  const isMatch = variable.pattern?.matches(name, meter) ?? true;
  return isMatch ? variable.segment : "mismatch";
}

/** The message about a segment that the chart does not have, or that ends an address but is not an account. */
function unknownSegment(segments: readonly string[], index: number): string {
  const name = segments[index] ?? "";
  if (index > 0) {
    const parent = segments.slice(0, index).join(":");
    return `segment \`${name}\` is not allowed by the chart of accounts at \`${parent}\``;
  }
  return segments.length === 1
    ? `account \`${name}\` is not defined in the chart of accounts`
    : `account starting with \`${name}\` is not defined in the chart of accounts`;
}

/** The default metadata of a new account. */
export const defaultMetadataOf = ({ metadata }: ChartSegment): Metadata =>
  metadata === undefined ? {} : defaultsOf(metadata);
