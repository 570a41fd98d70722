import { SDK_OPERATIONS } from "./sdk-operations.ts";
import { type Fit, fitOf, parseType, type SdkType } from "./sdk-types.ts";
import type { WireRequest } from "#console/api/client.ts";
import { parseJson } from "#platform/json.ts";

/** A request as a call of the SDKs. */
export interface SdkCall {
  /** The method of the SDK for TypeScript, such as `ledger.v2.createTransaction`. */
  readonly method: string;
  readonly parameters: readonly SdkValue[];
  readonly body: SdkValue | undefined;
  /** Whether the SDK for TypeScript sends every value unchanged. */
  readonly isExact: boolean;
  /** Absent where the SDK for Go lacks the operation or a parameter. */
  readonly go: GoCall | undefined;
}

export interface SdkValue {
  readonly name: string;
  readonly type: SdkType;
  readonly value: unknown;
}

export interface GoCall {
  /** The method of the client, such as `Ledger.V2.CreateTransaction`. */
  readonly method: string;
  /** The type of the request; undefined where there is none, or where the body is the whole request. */
  readonly request: string | undefined;
  readonly fields: readonly GoValue[];
  readonly body: GoField | undefined;
}

/** A field of a request in Go, with the type that it has there. */
interface GoField {
  readonly name: string;
  readonly type: string;
}

interface GoValue extends GoField {
  readonly value: unknown;
}

/** The call of the SDKs that sends a request; undefined where no official SDK has the operation, a parameter or a member of the body. */
export function sdkCallOf({ method, url, body }: WireRequest): SdkCall | undefined {
  const [path = "", query = ""] = url.split("?", 2);
  const segments = path.split("/");
  const operation = operations()
    .filter((candidate) => candidate.method === method && pathFits(candidate.path, segments))
    .toSorted((one, other) => literalsOf(other) - literalsOf(one))[0];
  if (operation === undefined) return;
  const texts = textsOf(operation.path, segments, query);
  if (texts === undefined) return;
  const found = [...texts].map(([name, text]) => valueOf(operation, name, text));
  const parameters = found.filter((parameter) => parameter !== undefined);
  if (parameters.length < found.length) return;
  const sent = bodyOf(operation, body);
  if (sent === "unknown") return;
  const fits: Fit[] = [...parameters, ...(sent === undefined ? [] : [sent])].map(
    ({ value, type }) => fitOf(value, type),
  );
  if (fits.includes("no")) return;
  return {
    method: operation.sdkMethod,
    parameters,
    body: sent,
    isExact: fits.every((fit) => fit === "exactly"),
    go: goCallOf(operation, parameters, sent),
  };
}

interface Operation {
  readonly method: string;
  readonly path: readonly string[];
  readonly sdkMethod: string;
  readonly parameters: readonly string[];
  readonly body: string;
  readonly goRequest: string;
  readonly goMethod: string;
}

let all: readonly Operation[] | undefined;

/** The operations of the table, which is read with the first request. */
function operations(): readonly Operation[] {
  all ??= SDK_OPERATIONS.trim()
    .split("\n")
    .map((line) => {
      const [
        route = "",
        sdkMethod = "",
        goRequest = "",
        parameters = "",
        body = "",
        goMethod = "",
      ] = line.split("|");
      const [method = "", path = ""] = route.split(" ");
      return {
        method,
        path: path.split("/"),
        sdkMethod,
        parameters: parameters.split(" ").filter((text) => text !== ""),
        body,
        goRequest,
        goMethod,
      };
    });
  return all;
}

const isName = (segment: string): boolean => segment.startsWith("{");

const pathFits = (path: readonly string[], segments: readonly string[]): boolean =>
  path.length === segments.length &&
  path.every((segment, index) => isName(segment) || segment === segments[index]);

const literalsOf = ({ path }: Operation): number =>
  path.filter((segment) => !isName(segment)).length;

/** The texts of the parameters by name; undefined where a name comes twice, which the SDKs don't send. */
function textsOf(
  path: readonly string[],
  segments: readonly string[],
  query: string,
): ReadonlyMap<string, string> | undefined {
  const inPath = path.flatMap((segment, index) =>
    isName(segment)
      ? [[camelCase(segment.slice(1, -1)), decodeURIComponent(segments[index] ?? "")] as const]
      : [],
  );
  const entries = [...inPath, ...new URLSearchParams(query)];
  const texts = new Map(entries);
  return texts.size === entries.length ? texts : undefined;
}

const camelCase = (name: string): string =>
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const capitalized = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** A parameter with the value that its text means; undefined for one that the SDKs don't know. */
function valueOf(operation: Operation, name: string, text: string): SdkValue | undefined {
  const known = operation.parameters.find((parameter) => parameter.startsWith(`${name}:`));
  if (known === undefined) return;
  const type = parseType(typeTextOf(known));
  const isText = type === "s" || type === "d";
  try {
    return { name, type, value: isText ? text : parseJson(text) };
  } catch {
    return undefined;
  }
}

/** The type in `name:type:field:goType`. The type of a filter has colons of its own. */
const typeTextOf = (parameter: string): string => /^\w+:(\{.*?\}|.)/.exec(parameter)?.[1] ?? "s";

function bodyOf(operation: Operation, text: string | undefined): SdkValue | "unknown" | undefined {
  const [name = "", type] = operation.body.split(" ");
  if (text === undefined) return undefined;
  if (type === undefined) return "unknown";
  try {
    return { name, type: parseType(type), value: parseJson(text) };
  } catch {
    return "unknown";
  }
}

function goCallOf(
  { sdkMethod, goRequest, goMethod, parameters: known }: Operation,
  parameters: readonly SdkValue[],
  body: SdkValue | undefined,
): GoCall | undefined {
  const [method = "", bodyName, bodyType] = goMethod.split(" ");
  if (method === "-" || (body !== undefined && bodyType === undefined)) return;
  const fields = parameters.flatMap(({ name, value }): GoValue[] => {
    const [, field = "", type = ""] =
      /:([A-Z]\w*):(\S+)$/.exec(known.find((text) => text.startsWith(`${name}:`)) ?? "") ?? [];
    return field === "" ? [] : [{ name: field, type, value }];
  });
  if (fields.length < parameters.length) return;
  const groups = sdkMethod.split(".").slice(0, -1);
  return {
    method: [...groups.map(capitalized), method].join("."),
    request: goRequest === "-" ? undefined : `${goRequest}Request`,
    fields,
    body:
      body === undefined || bodyName === undefined || bodyType === undefined
        ? undefined
        : { name: bodyName, type: bodyType },
  };
}
