import { invalid, isJsonObject, type JsonObject, memberOf, shown, textMember } from "./failures.ts";
import { QUERIES_MAX } from "./limits.ts";
import { decodeFilter, type FilterTemplate, resolveFilter } from "./query-filters.ts";
import {
  decodeParams,
  mergeParams,
  type QueryParams,
  type QueryResource,
  readParams,
  SORT_FIELDS,
} from "./query-params.ts";
import {
  decodeVariables,
  type QueryVariables,
  renderVariables,
  valuesOf,
} from "./query-variables.ts";
import { AppError } from "#platform/errors.ts";
import { formatTimestamp } from "#platform/time.ts";

export type { QueryParams, QueryResource } from "./query-params.ts";

/** A named list with variables in its filter. */
export interface QueryTemplate {
  readonly description: string | undefined;
  readonly resource: QueryResource;
  /** The parameters as the client wrote them, in the client's order. */
  readonly givenParams: JsonObject;
  /** The parameters as they are read. */
  readonly params: QueryParams;
  readonly variables: QueryVariables;
  /** The body as the client wrote it; undefined for none. */
  readonly body: unknown;
  /** The filter in the body. */
  readonly filter: FilterTemplate;
}

export type QueryTemplates = ReadonlyMap<string, QueryTemplate>;

const RESOURCES = Object.keys(SORT_FIELDS);

/** Decodes query templates from JSON. Throws `VALIDATION`. */
export function decodeQueries(value: unknown): QueryTemplates {
  if (!isJsonObject(value ?? {})) {
    throw invalid("invalid schema: the query templates must be an object", "queries");
  }
  const entries = Object.entries(value ?? {});
  if (entries.length > QUERIES_MAX) {
    throw invalid(`invalid schema: more than ${QUERIES_MAX} query templates`, "queries");
  }
  return new Map(entries.map(([id, query]) => [id, decodeQuery(query, `queries.${id}`)]));
}

function decodeQuery(value: unknown, place: string): QueryTemplate {
  if (!isJsonObject(value)) throw invalid("invalid schema: a query must be an object", place);
  const description = textMember(value, "description", place);
  const resource = decodeResource(memberOf(value, "resource"), `${place}.resource`);
  const variables = decodeVariables(memberOf(value, "vars"), `${place}.vars`);
  const givenParams = within(`${place}.params`, () =>
    decodeParams(memberOf(value, "params"), resource),
  );
  const body = memberOf(value, "body");
  return {
    description: description === "" ? undefined : description,
    resource,
    givenParams,
    params: readParams(givenParams, resource),
    variables,
    body,
    filter: within(`${place}.body`, () => decodeFilter(body, resource, variables)),
  };
}

function decodeResource(value: unknown, place: string): QueryResource {
  if (typeof value === "string" && isResource(value)) return value;
  const given = typeof value === "string" ? shown(value) : "";
  const names = RESOURCES.map((known) => `\`${known}\``).join(", ");
  throw invalid(`invalid schema: invalid resource \`${given}\`, expected one of ${names}`, place);
}

const isResource = (name: string): name is QueryResource => RESOURCES.includes(name);

/** Adds the place of a part of a query to an error in the part. */
function within<T>(place: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw invalid(`invalid schema: ${error.message}`, place);
  }
}

/** The JSON of query templates, as log entries contain it. */
export const renderQueries = (queries: QueryTemplates): JsonObject =>
  Object.fromEntries([...queries].map(([id, query]) => [id, renderQuery(query)]));

export function renderQuery(query: QueryTemplate): JsonObject {
  const { description, resource, givenParams, variables, body } = query;
  return {
    ...(description === undefined ? {} : { description }),
    resource,
    ...(Object.keys(givenParams).length === 0 ? {} : { params: givenParams }),
    ...(variables.size === 0 ? {} : { vars: renderVariables(variables) }),
    ...(body === undefined ? {} : { body }),
  };
}

/**
 * The JSON of query templates for clients. Clients distinguish the kinds of parameters by a member `resource` among them,
 * and don't accept a list as `expand`.
 */
export const showQueries = (queries: QueryTemplates): JsonObject =>
  Object.fromEntries([...queries].map(([id, query]) => [id, showQuery(query)]));

function showQuery(query: QueryTemplate): JsonObject {
  const { params: _given, ...rest } = renderQuery(query);
  const params = showParams(query.params);
  const isEmpty = Object.keys(params).length === 0;
  return isEmpty ? rest : { ...rest, params: { resource: query.resource, ...params } };
}

function showParams(params: QueryParams): JsonObject {
  const { sort, expand, pageSize, startTime, endTime, groupBy, insertionDate } = params;
  return {
    ...(sort === undefined ? {} : { sort }),
    ...(expand === undefined || expand.length === 0 ? {} : { expand: expand.join(",") }),
    ...(pageSize === undefined ? {} : { pageSize }),
    ...(startTime === undefined ? {} : { startTime: formatTimestamp(startTime) }),
    ...(endTime === undefined ? {} : { endTime: formatTimestamp(endTime) }),
    ...(groupBy === undefined ? {} : { groupBy }),
    ...(insertionDate === undefined ? {} : { insertionDate }),
  };
}

/** The inputs of a request that runs a query. */
export interface QueryRequest {
  /** The values of variables, by name. */
  readonly vars?: JsonObject | undefined;
  readonly params?: JsonObject | undefined;
}

/** A list with its filter and parameters. */
export interface ResolvedQuery {
  readonly resource: QueryResource;
  /** The filter as JSON with exact integers; undefined for none. Its values are checked when the list is read. */
  readonly filter: unknown;
  readonly params: QueryParams;
}

/** The list that a query template stands for in a request. Throws `VALIDATION`. */
export function resolveQuery(query: QueryTemplate, request: QueryRequest): ResolvedQuery {
  const { resource, filter } = query;
  const values = valuesOf(query.variables, request.vars ?? {});
  return {
    resource,
    filter: resolveFilter(filter, values),
    params: mergeParams(query.params, readRequestParams(request.params ?? {}, resource)),
  };
}

function readRequestParams(params: JsonObject, resource: QueryResource): QueryParams {
  try {
    return readParams(params, resource);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw invalid(`failed to resolve query template: ${error.message}`, "params");
  }
}
