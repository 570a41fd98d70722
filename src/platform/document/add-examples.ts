import { type Exchange, type Message } from "./exchanges.ts";
import { parseForm } from "#platform/http/body.ts";
import { parseJson } from "#platform/json.ts";

/** The part of an OpenAPI document to which examples are added. */
export interface ExampleDocument {
  readonly paths?: Readonly<Record<string, object>> | undefined;
}

interface Operation {
  readonly operationId?: string;
  readonly parameters?: Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content } | undefined>>;
}
interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  example?: unknown;
  examples?: Record<string, { value: unknown; "x-disabled": boolean }>;
  readonly schema?: { readonly type?: string | string[]; readonly example?: unknown };
}
type Content = Record<string, MediaType | undefined>;
interface MediaType {
  examples?: Record<string, { summary: string; value: unknown }>;
}

/**
 * Adds each exchange to its operation: the parameters and the body of its request, and the body of its answer under its status.
 * A parameter shows the value of the first exchange that has it. Throws if the document lacks a part of an exchange.
 */
export function addExamples(document: ExampleDocument, exchanges: readonly Exchange[]): void {
  const operations = operationsOf(document);
  for (const exchange of exchanges) {
    const found = operations.get(exchange.operationId);
    if (found === undefined) throw new Error(`no operation ${exchange.operationId} for an example`);
    const { path, operation } = found;
    addParameters(operation.parameters ?? [], valuesOf(exchange.request, path));
    const title = exchange.title ?? "Example";
    addBody(operation.requestBody?.content, exchange.request, title);
    addBody(operation.responses[exchange.answer.start]?.content, exchange.answer, title);
  }
}

function operationsOf(document: ExampleDocument) {
  const found = new Map<string, { path: string; operation: Operation }>();
  // The values of `paths` are operations, because the document was made of them.
  for (const [path, methods] of Object.entries(document.paths ?? {})) {
    for (const operation of Object.values(methods) as Operation[]) {
      if (operation.operationId !== undefined)
        found.set(operation.operationId, { path, operation });
    }
  }
  return found;
}

/** The parameters of a request, by place and name. */
function valuesOf({ start, headers }: Message, path: string): Map<string, string> {
  const [, target = ""] = start.split(" ");
  const [given = "", query = ""] = target.split("?");
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name);
  const pattern = path.replaceAll(/[.]/g, String.raw`\.`).replaceAll(/\{[^}]+\}/g, "([^/]+)");
  const values = new RegExp(`^${pattern}$`).exec(given);
  if (values === null) throw new Error(`the example ${start} is not on the path ${path}`);
  return new Map([
    ...names.map(
      (name, index) => [`path ${name}`, decodeURIComponent(values[index + 1] ?? "")] as const,
    ),
    ...Object.entries(parseForm(query)).map(
      ([name, value]) => [`query ${name}`, [value].flat().join(",")] as const,
    ),
    ...Object.entries(headers).map(([name, value]) => [`header ${name}`, value] as const),
  ]);
}

function addParameters(
  parameters: readonly Parameter[],
  values: ReadonlyMap<string, string>,
): void {
  for (const parameter of parameters) {
    const name = parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name;
    const given = values.get(`${parameter.in} ${name}`);
    if (given !== undefined && parameter.example === undefined) {
      const isText = parameter.schema?.type === undefined || parameter.schema.type === "string";
      parameter.example = isText ? given : parsedOr(given);
    }
  }
}

/**
 * Makes the examples of optional parameters ones that the page shows, but does not send: `x-disabled` is Scalar's name for that. Otherwise
 * the first try of a list would have a filter that nobody has chosen.
 */
export function leaveOptionalOut(document: ExampleDocument): void {
  for (const { operation } of operationsOf(document).values()) {
    for (const parameter of operation.parameters ?? []) {
      const value = parameter.example ?? parameter.schema?.example;
      if (parameter.required === true || value === undefined) continue;
      delete parameter.example;
      parameter.examples = { example: { value, "x-disabled": true } };
    }
  }
}

const LITERAL = /^(?:-?\d+|true|false)$/;

const parsedOr = (text: string): unknown => (LITERAL.test(text) ? parseJson(text) : text);

function addBody(content: Content | undefined, { headers, body }: Message, title: string): void {
  if (content === undefined || body === undefined) return;
  const contentType = headers["content-type"] ?? "application/json";
  const media = content[contentType];
  if (media === undefined)
    throw new Error(`no content type ${contentType} for the example ${title}`);
  media.examples = {
    ...media.examples,
    [title]: { summary: title, value: toValue(contentType, body) },
  };
}

function toValue(contentType: string, body: string): unknown {
  if (contentType === "application/json") return parseJson(body);
  return contentType === "application/x-www-form-urlencoded" ? parseForm(body) : body;
}
