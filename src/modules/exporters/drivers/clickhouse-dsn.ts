import { ConfigError } from "./config.ts";
import { assertCallable, type DriverContext } from "./driver.ts";

/** The HTTP interface of a ClickHouse server, as a DSN names it. */
export interface ClickhouseServer {
  readonly origin: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Why the server cannot be called, as a sentence for its pipelines; undefined for a server that can be called. */
  readonly problem: string | undefined;
}

/** Settings that the driver sets whatever the server's defaults are, because an accepted insert must mean that the rows are stored. */
const SETTINGS = {
  async_insert: "0",
  wait_end_of_query: "1",
  date_time_input_format: "best_effort",
  input_format_json_read_objects_as_strings: "1",
};

/**
 * Matches a DSN that the URL parser reads without repairing it. The parser also accepts surrounding spaces, line breaks, a missing slash,
 * and backslashes; in such a DSN the password would not be found, and answers would show it.
 */
const ABSOLUTE = /^(https?|clickhouse):\/\/[^\s/?#\\][^\s\\]*$/i;

/**
 * Reads a DSN `http(s)://user:password@host:port/database?settings`, or the `clickhouse://` DSN of a native client, which stands for the
 * HTTP interface of the same server. Throws `ConfigError`.
 */
export function parseDsn(dsn: string, context: DriverContext): ClickhouseServer {
  if (dsn === "") throw new ConfigError("dsn", "dsn is required");
  const { url, problem } = toHttpUrl(dsn);
  const [user = "", password = ""] = [url.username, url.password].map(decode);
  url.username = "";
  url.password = "";
  assertCallable("dsn", url.href, context);
  const database = decode(url.pathname.slice(1));
  if (database.includes("/")) {
    throw new ConfigError("dsn", "dsn has more than a database in its path");
  }
  return {
    origin: url.origin,
    parameters: { ...settingsOf(url), ...SETTINGS, ...(database === "" ? {} : { database }) },
    headers: {
      ...(user === "" ? {} : { "x-clickhouse-user": headerValue(user) }),
      ...(password === "" ? {} : { "x-clickhouse-key": headerValue(password) }),
    },
    problem,
  };
}

/** The origin of the server that a DSN names; empty if the DSN names none. */
export function dsnOrigin(dsn: unknown): string {
  try {
    return typeof dsn === "string" ? toHttpUrl(dsn).url.origin : "";
  } catch (error) {
    if (error instanceof ConfigError) return "";
    throw error;
  }
}

/** A URL of the HTTP interface, and why it cannot be called, if so. */
interface HttpUrl {
  readonly url: URL;
  readonly problem?: string;
}

function toHttpUrl(dsn: string): HttpUrl {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(dsn)?.[1]?.toLowerCase();
  if (scheme === "tcp" || scheme === "native") {
    throw new ConfigError(
      "dsn",
      "dsn names the native protocol; give the HTTP interface, such as http://user:password@host:8123/database, or a clickhouse:// DSN",
    );
  }
  if (!ABSOLUTE.test(dsn) || !URL.canParse(dsn)) {
    throw new ConfigError("dsn", "dsn is not an absolute URL of http(s):// or clickhouse://");
  }
  return scheme === "clickhouse" ? fromNative(dsn) : { url: new URL(dsn) };
}

/** Standard ports of a server: of the HTTP interface and of the native protocol, without and with encryption. */
const HTTP_PORT = "8123";
const HTTPS_PORT = "8443";
const NATIVE_PORT = "9000";
const NATIVE_SECURE_PORT = "9440";

/**
 * The HTTP interface of a native server. Where a server has chosen its native port, its HTTP port is unknown. The standard HTTP port is not
 * tried then, because another server on the host may have it.
 */
function fromNative(dsn: string): HttpUrl {
  const text = dsn.slice("clickhouse".length);
  if (!URL.canParse(`http${text}`)) {
    throw new ConfigError("dsn", "dsn has a host that is not valid in an http(s) URL");
  }
  const url = new URL(`http${text}`);
  // The port is not read from `url`, because a URL with the scheme `http` leaves out the port 80.
  const { port } = new URL(dsn);
  const isSecure = readSecure(url, port);
  const given = readHttpPort(url);
  const isKnown = given !== undefined || ["", NATIVE_PORT, NATIVE_SECURE_PORT].includes(port);
  const httpPort = given ?? (isSecure ? HTTPS_PORT : HTTP_PORT);
  url.protocol = isSecure ? "https:" : "http:";
  url.port = isKnown ? httpPort : port;
  url.searchParams.delete("secure");
  url.searchParams.delete("http_port");
  if (isKnown) return { url };
  const problem = `dsn has the port ${port}, from which the port of the HTTP interface cannot be known: name it with ?http_port=`;
  return { url, problem };
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function readSecure({ searchParams }: URL, port: string): boolean {
  const isSecurePort = port === NATIVE_SECURE_PORT;
  const [text, ...others] = searchParams.getAll("secure");
  if (text === undefined) return isSecurePort;
  const isSecure = BOOLEANS.get(text);
  if (isSecure === undefined || others.length > 0) {
    throw new ConfigError("dsn", "dsn has a parameter secure that is neither true nor false");
  }
  if (isSecurePort && !isSecure) {
    throw new ConfigError(
      "dsn",
      `dsn has secure=false and the port ${NATIVE_SECURE_PORT}, which is always encrypted`,
    );
  }
  return isSecure;
}

/** The HTTP port that a DSN names; undefined if it names none. */
function readHttpPort({ searchParams }: URL): string | undefined {
  const [text, ...others] = searchParams.getAll("http_port");
  if (text === undefined) return undefined;
  const isPort = /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
  if (isPort && others.length === 0) return text;
  throw new ConfigError("dsn", "dsn has a parameter http_port that is not a port");
}

/** Parameters that a DSN must not set, with the reason. */
const REFUSED_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ...[...Object.keys(SETTINGS), "query"].map(
    (name) => [name, "the exporter sets it itself"] as const,
  ),
  ...["database", "user", "username", "password"].map(
    (name) =>
      [name, "credentials and database go into http://user:password@host:8123/database"] as const,
  ),
  ...["http_port", "secure"].map((name) => [name, "only a clickhouse:// DSN takes it"] as const),
  // Parameters of native connections. The server would take them for settings and refuse each call.
  ...[
    "alt_hosts",
    "block_buffer_size",
    "compress",
    "compress_level",
    "conn_max_lifetime",
    "connection_open_strategy",
    "debug",
    "dial_timeout",
    "max_compression_buffer",
    "max_idle_conns",
    "max_open_conns",
    "read_timeout",
    "skip_verify",
    "write_timeout",
  ].map(
    (name) => [name, "it is an option of native connections, which are not used here"] as const,
  ),
]);

/** Settings of the server in the URL's parameters. */
function settingsOf({ searchParams }: URL): Record<string, string> {
  for (const name of searchParams.keys()) {
    const why = REFUSED_PARAMETERS.get(name);
    if (why !== undefined) throw new ConfigError("dsn", `dsn has the parameter ${name}; ${why}`);
  }
  return Object.fromEntries(searchParams);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConfigError("dsn", "dsn has a broken percent encoding"); // `decodeURIComponent` has no other error
  }
}

/** Checks that a text is printable Latin-1, which a header may contain. */
function headerValue(text: string): string {
  if (/^[\u0020-\u007e\u00a1-\u00ff]+$/.test(text)) return text;
  throw new ConfigError("dsn", "dsn has credentials that do not fit into a header");
}
