import type { OpenAPIHono } from "@hono/zod-openapi";
import { addExamples, leaveOptionalOut } from "./add-examples.ts";
import { parseExchanges } from "./exchanges.ts";
import { assert } from "#platform/assert.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { stringifyJson } from "#platform/json.ts";
import { type Module, scopesOf } from "#platform/modules/module.ts";
import type { ResourceGroup } from "#platform/modules/resources.ts";
import { FLORIN_VERSION } from "#platform/upgrade/version.ts";

export interface DocumentParts {
  readonly modules: readonly Module[];
  /** How clients use the API, in Markdown. */
  readonly introduction: string;
  /** Every `errorCode` that an answer may have. */
  readonly errorCodes: readonly string[];
}

/** The path at which a client gets its token. */
export const TOKEN_PATH = "/api/auth/oauth/token";

/** Registers the components that the document refers to. The document itself is made at its first request. */
export function registerSecurity(app: OpenAPIHono<AppEnv>, modules: readonly Module[]): void {
  app.openAPIRegistry.registerComponent("securitySchemes", "oauth2", {
    type: "oauth2",
    description: "A client gets an access token with its id and secret.",
    flows: { clientCredentials: { tokenUrl: TOKEN_PATH, scopes: scopesOf(modules) } },
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
    description:
      "An access token that is there already, of a client or of a person who has signed in.",
  });
}

/** The OpenAPI document as JSON text. */
export function makeDocument(
  app: OpenAPIHono<AppEnv>,
  { modules, introduction, errorCodes }: DocumentParts,
): string {
  const ordered = inReadingOrder(modules);
  const groups = groupsOf(ordered);
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Florin",
      version: FLORIN_VERSION,
      license: { name: "MIT" },
      description: introduction,
    },
    servers: [{ url: "/" }],
    tags: groups.flatMap(({ resources }) => [...resources]),
    "x-tagGroups": groups.map(({ name, resources }) => ({
      name,
      tags: resources.map((resource) => resource.name),
    })),
  });
  addExamples(
    document,
    ordered.flatMap((module) => parseExchanges(module.examples)),
  );
  leaveOptionalOut(document);
  return stringifyJson(withErrorCodes(document, errorCodes));
}

type Document = ReturnType<OpenAPIHono<AppEnv>["getOpenAPI31Document"]>;

/** Adds the error codes of all modules to the schema of an error's body, which the platform declares without them. */
function withErrorCodes(document: Document, errorCodes: readonly string[]): Document {
  const body = document.components?.schemas?.["Error"];
  assert(body !== undefined && "properties" in body, "the document describes the body of an error");
  const code = body.properties?.["errorCode"];
  assert(code !== undefined && !("$ref" in code), "the body of an error has a code");
  code.enum = [...errorCodes];
  return document;
}

/** The order in which modules are shown and their examples are played: a part comes after the module that it belongs to. */
export const inReadingOrder = (modules: readonly Module[]): readonly Module[] =>
  modules
    .filter(({ partOf }) => partOf === undefined)
    .flatMap((whole) => [whole, ...modules.filter(({ partOf }) => partOf === whole.name)]);

const SERVICE: ResourceGroup = {
  name: "Server",
  resources: [
    {
      name: "Service",
      description: "Versions and health, for load balancers and for clients that compare them.",
    },
  ],
};

function groupsOf(modules: readonly Module[]): readonly ResourceGroup[] {
  const groups = [...modules.flatMap((module) => module.resources), SERVICE];
  return [
    ...groups.filter(({ isLegacy }) => isLegacy !== true),
    ...groups.filter(({ isLegacy }) => isLegacy === true),
  ];
}
