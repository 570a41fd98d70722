import { invalid, isJsonObject, type JsonObject, memberOf, shown } from "./failures.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";

/** The lists that a query can read. */
export type QueryResource = keyof typeof SORT_FIELDS;

/** The parameters of a query. Undefined leaves a parameter to the template, and then to the default of the list. */
export interface QueryParams {
  /** A field, with or without `:asc` or `:desc`. */
  readonly sort: string | undefined;
  readonly expand: readonly string[] | undefined;
  readonly pageSize: number | undefined;
  /** The period of a query, which other lists call `oot` and `pit`. */
  readonly startTime: Timestamp | undefined;
  readonly endTime: Timestamp | undefined;
  /** The groups of a list of volumes. 0 or less asks for no groups. */
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

/** Clients write `resource` here, although the query itself has it. */
const COMMON_NAMES = ["startTime", "endTime", "expand", "sort", "pageSize", "resource"];
const VOLUME_NAMES = [...COMMON_NAMES, "groupBy", "insertionDate"];

/** Decodes the parameters of a template from JSON. Null stays, because hashes cover it. Throws `VALIDATION`, also for unknown ones. */
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

/** Reads parameters and ignores unknown ones. Null and an empty text stand for nothing. Throws `VALIDATION`. */
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
    // Clients in Go send 0 where there is none.
    pageSize: pageSize === 0 ? undefined : pageSize,
    startTime: readTime("startTime", member("startTime")),
    // The official client calls it `pit` in requests. Templates have no such member.
    endTime: readTime("endTime", member("endTime")) ?? readTime("pit", member("pit")),
    groupBy: isOfVolumes ? readInteger("groupBy", member("groupBy")) : undefined,
    insertionDate: isOfVolumes ? readBoolean("insertionDate", member("insertionDate")) : undefined,
  };
}

/** A parameter of the request wins over that of the template. */
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

/** A text or a list of texts. Each of them may contain several names, separated by commas. */
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

/** Largest integer of a parameter. No list is as long, and no address as deep. */
const INTEGER_MAX = 2 ** 31 - 1;

function readBoolean(name: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw wrong(name, "a boolean");
}

const wrong = (name: string, expected: string): Error =>
  invalid(`invalid params: \`${name}\` must be ${expected}`);
