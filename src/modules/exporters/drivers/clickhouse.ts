import { BATCHING, readBatching } from "./batching.ts";
import { type ClickhouseServer, dsnOrigin, parseDsn } from "./clickhouse-dsn.ts";
import {
  callDestination,
  type Driver,
  type DriverContext,
  excerptOf,
  problemOf,
  textOf,
} from "./driver.ts";
import { assertKnown, textField } from "./fields.ts";
import { fieldsOf, type LogItem } from "./log-page.ts";
import { replaceUrlSecrets, urlSecretsOf } from "./url-secrets.ts";
import { stringifyJson } from "#platform/json.ts";

/**
 * Inserts a row for each log entry through the HTTP interface of ClickHouse, into the table `logs`, which it creates. The table replaces
 * rows of the same ledger and id, so that a redelivery does no harm. `data` is JSON text, because the JSON type of ClickHouse would round
 * integers beyond 64 bits. A table whose column has that type is accepted as it is.
 */
export const clickhouseDriver: Driver = {
  name: "clickhouse",
  open(config, context) {
    const dsn = textField(config, "dsn") ?? "";
    const server: ServerAccess = {
      ...parseDsn(dsn, context),
      secrets: urlSecretsOf(config, "dsn"),
    };
    const batching = readBatching(config);
    assertKnown(config, ["dsn", BATCHING]);
    // False after a failure, because the table may be gone, or the server may be another one.
    let hasTable = false;
    return {
      batching,
      async send(ledger, entries) {
        if (server.problem !== undefined) return server.problem;
        const createProblem = hasTable ? undefined : await run(server, { query: CREATE }, context);
        if (createProblem !== undefined && !DENIED.test(createProblem)) return createProblem;
        const body = entries.map((entry) => toRow(ledger, entry)).join("");
        const problem = await run(server, { query: INSERT, body }, context);
        hasTable = problem === undefined;
        return problem;
      },
    };
  },
  secrets: {
    replace: (config, replace) => replaceUrlSecrets(config, "dsn", replace),
    secretHost: ({ dsn }) => dsnOrigin(dsn),
  },
};

const CREATE = `CREATE TABLE IF NOT EXISTS logs (
  ledger String, id Int64, type String, date DateTime64(6, 'UTC'), data String
) ENGINE = ReplacingMergeTree ORDER BY (ledger, id)`;
/** The error of a user who may only insert. Such a user needs a table that another user has created. */
const DENIED = /\bCode: 497\b/;
const INSERT = "INSERT INTO logs (ledger, id, type, date, data) FORMAT JSONEachRow";

/** A server, and the secrets that no error may show. */
type ServerAccess = ClickhouseServer & { readonly secrets: readonly string[] };

/** Runs a statement. Resolves to a description of the problem, or to undefined if there was none. */
async function run(
  { secrets, origin, parameters, headers }: ServerAccess,
  { query, body }: { readonly query: string; readonly body?: string },
  context: DriverContext,
): Promise<string | undefined> {
  const search = new URLSearchParams({ ...parameters, ...(body === undefined ? {} : { query }) });
  const url = `${origin}/?${search.toString()}`;
  const result = await callDestination({ url, headers, body: body ?? query }, context);
  const problem = problemOf(result, secrets);
  if (problem !== undefined || result.kind === "unreachable") return problem;
  // ClickHouse sends the status when the statement has ended, but a proxy in between may have answered earlier.
  const text = excerptOf(textOf(result), secrets);
  const failed = result.headers.has("x-clickhouse-exception-code") || /^Code: \d/.test(text);
  if (!failed && result.bodyError === undefined) return undefined;
  return `the answer is ${result.status} with ${text || result.bodyError || "an exception"}`;
}

function toRow(ledger: string, item: LogItem): string {
  const { id, type, date, data } = fieldsOf(item);
  return `${stringifyJson({ ledger, id, type, date, data })}\n`;
}
