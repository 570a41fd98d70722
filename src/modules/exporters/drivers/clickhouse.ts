import { BATCHING, readBatching } from "./batching.ts";
import {
  assertCallable,
  callDestination,
  ConfigFault,
  type Driver,
  type DriverContext,
  excerptOf,
  faultOf,
  textOf,
} from "./driver.ts";
import { assertKnown, textField } from "./fields.ts";
import { originOf, replaceUrlSecrets, urlSecretsOf } from "./url-secrets.ts";
import { fieldsOf, type LogItem } from "#modules/exporters/log-page.ts";
import { stringifyJson } from "#platform/json.ts";

/**
 * Inserts a row for each log entry through the HTTP interface of ClickHouse, into the table `logs`, which it makes. The
 * table replaces rows by (ledger, id), so that a redelivery does no harm. `data` is the JSON text: the JSON type of
 * ClickHouse would round integers beyond 64 bits; a table that has a column of that type is taken as it is, too.
 */
export const clickhouseDriver: Driver = {
  name: "clickhouse",
  open(config, context) {
    const dsn = textField(config, "dsn") ?? "";
    const server = { ...parseDsn(dsn, context), secrets: urlSecretsOf(config, "dsn") };
    const batching = readBatching(config);
    assertKnown(config, ["dsn", BATCHING]);
    // The server may lose the table or be another one after a failure.
    let hasTable = false;
    return {
      batching,
      async send(ledger, entries) {
        const createFault = hasTable ? undefined : await run(server, { query: CREATE }, context);
        if (createFault !== undefined && !DENIED.test(createFault)) return createFault;
        const body = entries.map((entry) => toRow(ledger, entry)).join("");
        const fault = await run(server, { query: INSERT, body }, context);
        hasTable = fault === undefined;
        return fault;
      },
    };
  },
  secrets: {
    replace: (config, replace) => replaceUrlSecrets(config, "dsn", replace),
    secretHost: ({ dsn }) => originOf(dsn),
  },
};

const CREATE = `CREATE TABLE IF NOT EXISTS logs (
  ledger String, id Int64, type String, date DateTime64(6, 'UTC'), data String
) ENGINE = ReplacingMergeTree ORDER BY (ledger, id)`;
/** A user who may insert only needs a table that others have made. */
const DENIED = /\bCode: 497\b/;
const INSERT = "INSERT INTO logs (ledger, id, type, date, data) FORMAT JSONEachRow";

/** What the insert relies on, whatever the server's defaults are: acceptance means that the rows are stored. */
const SETTINGS = {
  async_insert: "0",
  wait_end_of_query: "1",
  date_time_input_format: "best_effort",
  input_format_json_read_objects_as_strings: "1",
};

/** Parameters of the interface that the driver sets itself, and those for credentials, which a URL would show. */
const OWN_PARAMETERS = new Set([
  ...Object.keys(SETTINGS),
  "query",
  "database",
  "user",
  "username",
  "password",
]);

interface Server {
  readonly origin: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What the URL parser takes as it is written. It also takes spaces around, line breaks inside, one slash or none, and
 * backslashes for slashes: the password of such a DSN would not be found, and be shown.
 */
const ABSOLUTE = /^https?:\/\/[^\s/?#\\][^\s\\]*$/i;

/** `http(s)://user:password@host:port/database?settings` */
function parseDsn(dsn: string, context: DriverContext): Server {
  if (dsn === "") throw new ConfigFault("dsn", "dsn is required");
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(dsn)?.[1]?.toLowerCase();
  if (scheme === "clickhouse" || scheme === "tcp" || scheme === "native") {
    throw new ConfigFault(
      "dsn",
      "dsn names the native protocol; give the HTTP interface, such as http://user:password@host:8123/database",
    );
  }
  if (!ABSOLUTE.test(dsn) || !URL.canParse(dsn)) {
    throw new ConfigFault("dsn", "dsn is not an absolute http(s) URL");
  }
  const url = new URL(dsn);
  const [user, password] = [url.username, url.password].map(decode);
  url.username = "";
  url.password = "";
  assertCallable("dsn", url.href, context);
  const database = decode(url.pathname.slice(1));
  if (database.includes("/"))
    throw new ConfigFault("dsn", "dsn has more than a database in its path");
  return {
    origin: url.origin,
    parameters: { ...settingsOf(url), ...SETTINGS, ...(database === "" ? {} : { database }) },
    headers: {
      ...(user === undefined || user === "" ? {} : { "x-clickhouse-user": headerValue(user) }),
      ...(password === undefined || password === ""
        ? {}
        : { "x-clickhouse-key": headerValue(password) }),
    },
  };
}

/** Settings of the server that the URL names. */
function settingsOf(url: URL): Record<string, string> {
  for (const name of url.searchParams.keys()) {
    if (OWN_PARAMETERS.has(name)) {
      throw new ConfigFault(
        "dsn",
        `dsn has the parameter ${name}; credentials and database go into http://user:password@host:8123/database`,
      );
    }
  }
  return Object.fromEntries(url.searchParams);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConfigFault("dsn", "dsn has a broken percent encoding"); // the only error
  }
}

/** What may stand in a header: printable Latin-1. */
function headerValue(text: string): string {
  if (/^[\u0020-\u007e\u00a1-\u00ff]+$/.test(text)) return text;
  throw new ConfigFault("dsn", "dsn has credentials that do not fit into a header");
}

/** Runs a statement; resolves to what went wrong. */
async function run(
  { secrets, origin, parameters, headers }: Server & { readonly secrets: readonly string[] },
  { query, body }: { readonly query: string; readonly body?: string },
  context: DriverContext,
): Promise<string | undefined> {
  const search = new URLSearchParams({ ...parameters, ...(body === undefined ? {} : { query }) });
  const url = `${origin}/?${search.toString()}`;
  const result = await callDestination({ url, headers, body: body ?? query }, context);
  const fault = faultOf(result, secrets);
  if (fault !== undefined || result.kind === "unreachable") return fault;
  // The status is sent when the statement has ended; a proxy in between may still have answered before.
  const text = excerptOf(textOf(result), secrets);
  const failed = result.headers.has("x-clickhouse-exception-code") || /^Code: \d/.test(text);
  if (!failed && result.bodyError === undefined) return undefined;
  return `the answer is ${result.status} with ${text || result.bodyError || "an exception"}`;
}

function toRow(ledger: string, item: LogItem): string {
  const { id, type, date, data } = fieldsOf(item);
  return `${stringifyJson({ ledger, id, type, date, data })}\n`;
}
