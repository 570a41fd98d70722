import { Buffer } from "node:buffer";
import { BATCHING, readBatching } from "./batching.ts";
import { ConfigError, type ExporterConfig } from "./config.ts";
import {
  assertCallable,
  callDestination,
  type Driver,
  excerptOf,
  problemOf,
  textOf,
} from "./driver.ts";
import { assertKnown, booleanField, isObject, objectField, textField } from "./fields.ts";
import { fieldsOf, type LogItem } from "./log-page.ts";
import { replaceUrlSecrets, urlSecretsOf } from "./url-secrets.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { originOf } from "#platform/secrets/url-secrets.ts";

const INDEX_STANDARD = "unified-stack-data";
const AUTHENTICATION = "authentication";
const PASSWORD = `${AUTHENTICATION}.password`;

/**
 * Indexes a document for each log entry through the bulk API. The id of a document is made of the ledger and the entry, so that a
 * redelivery writes the same documents again. The answer says for each document whether it was accepted.
 */
export const elasticsearchDriver: Driver = {
  name: "elasticsearch",
  open(config, context) {
    const endpoint = textField(config, "endpoint") ?? "";
    if (endpoint === "") throw new ConfigError("endpoint", "elasticsearch endpoint is required");
    assertCallable("endpoint", endpoint, context);
    const index = textField(config, "index") ?? "";
    const { authorization, secrets: credentials = [] } = readAuthentication(config);
    const secrets = [...credentials, ...urlSecretsOf(config, "endpoint")];
    const batching = readBatching(config);
    assertKnown(config, ["endpoint", "index", AUTHENTICATION, BATCHING]);
    const url = bulkUrl(endpoint);
    const headers = {
      "content-type": "application/x-ndjson",
      ...(authorization === undefined ? {} : { authorization }),
    };
    const target = index === "" ? INDEX_STANDARD : index;
    return {
      batching,
      async send(ledger, entries) {
        const body = entries.map((entry) => toLines(target, ledger, entry)).join("");
        const result = await callDestination({ url, headers, body }, context);
        const problem = problemOf(result, secrets);
        if (problem !== undefined || result.kind === "unreachable") return problem;
        const refusal = problemIn(textOf(result), entries);
        return refusal === undefined ? undefined : refusal.what + excerptOf(refusal.text, secrets);
      },
    };
  },
  secrets: {
    replace(config, replace) {
      const replaced = replaceUrlSecrets(config, "endpoint", replace);
      const { authentication } = config;
      if (!isObject(authentication)) return replaced;
      const { password } = authentication;
      if (typeof password !== "string" || password === "") return replaced;
      const place = { path: PASSWORD, name: PASSWORD };
      return {
        ...replaced,
        authentication: { ...authentication, password: replace(password, place) },
      };
    },
    secretHost: ({ endpoint }) => originOf(endpoint),
  },
};

interface Authentication {
  readonly authorization?: string;
  /** The secrets that the header contains. */
  readonly secrets?: readonly string[];
}

/** Reads the credentials of a config; empty where the config has none. */
function readAuthentication(config: ExporterConfig): Authentication {
  const fields = objectField(config, AUTHENTICATION);
  assertKnown(fields, ["username", "password", "awsEnabled"], AUTHENTICATION);
  const username = textField(fields, `${AUTHENTICATION}.username`) ?? "";
  const password = textField(fields, PASSWORD) ?? "";
  if ((username === "") !== (password === "")) {
    throw new ConfigError(
      `${AUTHENTICATION}.${username === "" ? "username" : "password"}`,
      "authentication configuration is invalid: username and password must be defined together",
    );
  }
  if (booleanField(fields, `${AUTHENTICATION}.awsEnabled`) === true) {
    throw new ConfigError(
      `${AUTHENTICATION}.awsEnabled`,
      "authentication configuration is invalid: awsEnabled needs the identity of a machine inside AWS, which a Worker does not have; give username and password",
    );
  }
  if (username.includes(":")) {
    throw new ConfigError(
      `${AUTHENTICATION}.username`,
      "authentication configuration is invalid: username must not contain ':'",
    );
  }
  if (username === "") return {};
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  return { authorization: `Basic ${credentials}`, secrets: [credentials, password] };
}

/** The URL of the bulk API, which keeps the endpoint's own path and parameters. */
function bulkUrl(endpoint: string): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/_bulk`;
  url.hash = "";
  return url.href;
}

function toLines(index: string, ledger: string, item: LogItem): string {
  const id = documentId(ledger, item);
  const action = { index: { _index: index, _id: id } };
  const document = { id, payload: fieldsOf(item).data, module: ledger };
  return `${stringifyJson(action)}\n${stringifyJson(document)}\n`;
}

const documentId = (ledger: string, { id }: LogItem): string =>
  Buffer.from(stringifyJson({ logID: id, ledger })).toString("base64url");

/**
 * Describes which entries an answer refuses, as Florin's words and a text of the server. The answer has an item for each entry, in the same
 * order. Undefined where all were accepted.
 */
function problemIn(
  text: string,
  entries: readonly LogItem[],
): { readonly what: string; readonly text: string } | undefined {
  const items = readItems(text);
  if (items === undefined) return { what: "the answer is not that of a bulk request: ", text };
  if (items.length !== entries.length) {
    const what = `the answer has ${items.length} items for ${entries.length} entries`;
    return { what, text: "" };
  }
  const refused = items.findIndex((item) => !isTaken(item));
  if (refused === -1) return undefined;
  const { status, error } = items[refused] ?? {};
  const count = items.filter((item) => !isTaken(item)).length;
  const what = `${count} of ${entries.length} entries were refused, first ${entries[refused]?.id} with ${String(status)}: `;
  return { what, text: stringifyJson(error ?? {}) };
}

interface BulkItem {
  readonly status?: unknown;
  readonly error?: unknown;
}

const isTaken = ({ status, error }: BulkItem): boolean =>
  typeof status === "number" && status >= 200 && status < 300 && error === undefined;

/** The items of an answer; undefined if the text is not an answer of the bulk API. */
function readItems(text: string): BulkItem[] | undefined {
  let answer: unknown;
  try {
    answer = parseJson(text);
  } catch {
    return undefined; // a proxy may answer anything
  }
  if (!isObject(answer) || !Array.isArray(answer["items"])) return undefined;
  return answer["items"].map((item: unknown) => {
    const { index } = isObject(item) ? item : {};
    return isObject(index) ? index : {};
  });
}
