import { invalid, isJsonObject, type JsonObject, memberOf, shown } from "./failures.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";

/** The lists that a query can read. */
export type QueryResource = keyof typeof SORT_FIELDS;

/** The parameters of a query. For an undefined one, the template's value counts, then the default of the list. */
export interface QueryParams {
  /** A field, with or without `:asc` or `:desc`. */
  readonly sort: string | undefined;
  readonly expand: readonly string[] | undefined;
  readonly pageSize: number | undefined;
  /** The period of a query, which other lists call `oot` and `pit`. */
  readonly startTime: Timestamp | undefined;
  readonly endTime: Timestamp | undefined;
  /** The number of segments of a group's name in a list of volumes; 0 or less for no groups. */
  readonly groupBy: number | undefined;
  readonly insertionDate: boolean | undefined;
}

/** The fields by which each resource can be sorted. */
export const SORT_FIELDS = {
  accounts: ["address", "first_usage", "insertion_date", "updated_at"],
  logs: ["id", "date"],
  transactions: ["id", "timestamp", "inserted_at", "updated_at", "reverted_at"],
  volumes: ["account"],
} as const satisfies Record<string, readonly string[]>;

/** The parameters of all resources. Clients repeat the query's `resource` among them. */
const COMMON_NAMES = ["startTime", "endTime", "expand", "sort", "pageSize", "resource"];
const VOLUME_NAMES = [...COMMON_NAMES, "groupBy", "insertionDate"];

/** Decodes the parameters of a template from JSON. Null stays, because hashes cover it. Throws `VALIDATION`, also for unknown parameters. */
export function decodeParams(value: unknown, resource: QueryResource): JsonObject {
  if (!isJsonObject(value ?? {})) throw invalid("invalid params: expected an object");
  const names = resource === "volumes" ? VOLUME_NAMES : COMMON_NAMES;
  const entries = Object.entries(value ?? {});
  const unknown = entries.find(([name]) => !names.includes(name));
  if (unknown !== undefined) {
    throw invalid(`invalid params: unknown field: \`${shown(unknown[0])}\``);
  }
  const params: JsonObject = Object.fromEntries(entries);
  const named = memberOf(params, "resource");
  if (named !== undefined && typeof named !== "string") throw wrong("resource", "a text");
  readParams(params, resource);
  return params;
}

/** Reads parameters and ignores unknown ones. Null and an empty text count as absent. Throws `VALIDATION`. */
export function readParams(params: JsonObject, resource: QueryResource): QueryParams {
  const isOfVolumes = resource === "volumes";
  const member = (name: string): unknown => {
    const value = memberOf(params, name);
    return value === "" ? undefined : value;
  };
  const pageSize = readInteger("pageSize", member("pageSize"));
  if (pageSize !== undefined && pageSize < 0) throw wrong("pageSize", "an unsigned integer");
  return {
    sort: readSort(member("sort"), resource),
    expand: readExpand(member("expand")),
    // Clients in Go send 0 for an absent page size.
    pageSize: pageSize === 0 ? undefined : pageSize,
    startTime: readTime("startTime", member("startTime")),
    // The official client calls the end `pit` in requests. `decodeParams` refuses `pit` in templates.
    endTime: readTime("endTime", member("endTime")) ?? readTime("pit", member("pit")),
    groupBy: isOfVolumes ? readInteger("groupBy", member("groupBy")) : undefined,
    insertionDate: isOfVolumes ? readBoolean("insertionDate", member("insertionDate")) : undefined,
  };
}

/** Parameters of the request win over parameters of the template. */
export const mergeParams = (template: QueryParams, request: QueryParams): QueryParams => ({
  sort: request.sort ?? template.sort,
  expand: request.expand ?? template.expand,
  pageSize: request.pageSize ?? template.pageSize,
  startTime: request.startTime ?? template.startTime,
  endTime: request.endTime ?? template.endTime,
  groupBy: request.groupBy ?? template.groupBy,
  insertionDate: request.insertionDate ?? template.insertionDate,
});

function readSort(value: unknown, resource: QueryResource): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw wrong("sort", "a text");
  const [field = "", direction = "asc", ...rest] = value.split(":");
  const column = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const known: readonly string[] = SORT_FIELDS[resource];
  if (!known.includes(column)) throw invalid(`invalid sort column \`${shown(field)}\``);
  if (!/^(?:asc|desc)$/i.test(direction) || rest.length > 0) {
    throw invalid(`invalid order: ${shown(direction)}`);
  }
  return value;
}

/** Reads a text or a list of texts. Each text may contain several names, separated by commas. */
function readExpand(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return texts.flatMap((text) => {
    if (typeof text !== "string") throw wrong("expand", "a text or a list of texts");
    return text.split(",").filter((name) => name !== "");
  });
}

function readTime(name: string, value: unknown): Timestamp | undefined {
  if (value === undefined) return undefined;
  const time = typeof value === "string" ? parseTimestamp(value) : undefined;
  if (time === undefined) throw wrong(name, "an RFC 3339 date with zone");
  return time;
}

function readInteger(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && Math.abs(value) <= INTEGER_MAX) return value;
  throw wrong(name, "an integer");
}

/** Largest integer of a parameter, beyond all page sizes and numbers of segments. */
const INTEGER_MAX = 2 ** 31 - 1;

function readBoolean(name: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw wrong(name, "a boolean");
}

const wrong = (name: string, expected: string): Error =>
  invalid(`invalid params: \`${name}\` must be ${expected}`);
