import { goCode } from "./go.ts";
import {
  pythonLiteral,
  quoted,
  quotedWide,
  readable,
  shellWord,
  typescriptLiteral,
} from "./literals.ts";
import { sdkCallOf, type SdkCall, type SdkValue } from "./sdk-call.ts";
import type { WireRequest } from "#console/api/client.ts";

export const SNIPPET_LANGUAGES = ["curl", "TypeScript", "Python", "Go"] as const;
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number];

/**
 * A request as code that sends it, without a secret: tokens, ids and secrets of clients come from the environment. The official SDKs are
 * called where they send the request unchanged; otherwise, the code speaks HTTP.
 */
export function snippetOf(request: WireRequest, language: SnippetLanguage, origin: string): string {
  if (language === "curl") return curlCode(request, origin);
  const call = sdkCallOf(request);
  if (language === "Go") return goCode(request, origin, call);
  if (language === "Python")
    return call === undefined ? pythonHttp(request, origin) : pythonSdk(call, origin);
  return call?.isExact === true ? typescriptSdk(call, origin) : typescriptHttp(request, origin);
}

function curlCode({ method, url, body }: WireRequest, origin: string): string {
  const words = [
    `${method === "GET" ? "curl" : `curl -X ${method}`} ${shellWord(origin + url)}`,
    `-H "Authorization: Bearer $FLORIN_TOKEN"`,
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `--data-raw ${shellWord(readable(body))}`]),
  ];
  return words.join(" \\\n  ");
}

const typescriptSdk = ({ method, parameters, body }: SdkCall, origin: string): string =>
  `import { SDK } from "@formance/formance-sdk";

const sdk = new SDK({
  serverURL: ${quoted(origin)},
  security: {
    clientID: process.env.FLORIN_CLIENT_ID,
    clientSecret: process.env.FLORIN_CLIENT_SECRET,
  },
});

const answer = await sdk.${method}(${typescriptRequest(parameters, body)});
console.log(answer);
`;

function typescriptRequest(parameters: readonly SdkValue[], body: SdkValue | undefined): string {
  if (body?.name === "request") return typescriptLiteral(body.value, body.type);
  const members = [...parameters, ...(body === undefined ? [] : [body])];
  if (members.length === 0) return "";
  return `{\n${members.map(({ name, value, type }) => `  ${name}: ${typescriptLiteral(value, type, "  ")},\n`).join("")}}`;
}

function typescriptHttp({ method, url, body }: WireRequest, origin: string): string {
  const options = [
    ...(method === "GET" ? [] : [`  method: ${quoted(method)},\n`]),
    "  headers: {\n    authorization: `Bearer ${process.env.FLORIN_TOKEN}`,\n",
    ...(body === undefined ? [] : [`    "content-type": "application/json",\n`]),
    "  },\n",
    ...(body === undefined ? [] : [`  body: ${quoted(readable(body))},\n`]),
  ].join("");
  return `const answer = await fetch(${quoted(origin + url)}, {\n${options}});
console.log(answer.status, await answer.text());
`;
}

const pythonSdk = ({ method, parameters, body }: SdkCall, origin: string): string =>
  `import os

from formance_sdk_python import SDK
from formance_sdk_python.models import shared

with SDK(
    server_url=${quotedWide(origin)},
    security=shared.Security(
        client_id=os.environ["FLORIN_CLIENT_ID"],
        client_secret=os.environ["FLORIN_CLIENT_SECRET"],
    ),
) as sdk:
    answer = sdk.${method.split(".").map(snakeCase).join(".")}(${pythonRequest(parameters, body)})
    print(answer)
`;

function pythonRequest(parameters: readonly SdkValue[], body: SdkValue | undefined): string {
  if (body?.name === "request") return `request=${pythonLiteral(body.value, "    ")}`;
  const members = [...parameters, ...(body === undefined ? [] : [body])];
  if (members.length === 0) return "";
  // Filters are bodies in the SDK for Python.
  const lines = members.map(
    ({ name, value }) =>
      `      "${name === "query" ? "request_body" : snakeCase(name)}": ${pythonLiteral(value, "      ")},\n`,
  );
  return `request={\n${lines.join("")}    }`;
}

/** A name of the SDK for Python, in which capitals that stand together are one word: `connectorID` is `connector_id`. */
const snakeCase = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();

function pythonHttp({ method, url, body }: WireRequest, origin: string): string {
  const lines = [
    `    ${quotedWide(method)},\n    ${quotedWide(origin + url)},\n`,
    `    headers={\n        "Authorization": f"Bearer {os.environ['FLORIN_TOKEN']}",\n`,
    ...(body === undefined ? [] : [`        "Content-Type": "application/json",\n`]),
    "    },\n",
    ...(body === undefined ? [] : [`    content=${quotedWide(readable(body))},\n`]),
  ].join("");
  return `import os

import httpx

answer = httpx.request(\n${lines})
print(answer.status_code, answer.text)
`;
}
