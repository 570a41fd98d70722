import type { ExporterConfig } from "./config.ts";
import { type ReplaceSecret, SECRET_MASK } from "./driver.ts";

/**
 * Replaces the secrets in a URL of a config: the password before the host, and the values of query parameters whose name
 * speaks of a secret. All else stays as it was written.
 */
export function replaceUrlSecrets(
  config: ExporterConfig,
  path: string,
  replace: ReplaceSecret,
): ExporterConfig {
  const url = config[path];
  if (typeof url !== "string") return config;
  // Some programs percent-encode the mask when they send it back.
  const replaceWritten: ReplaceSecret = (secret, place) =>
    replace(decode(secret) === SECRET_MASK ? SECRET_MASK : secret, place);
  const withoutPassword = replacePassword(url, path, replaceWritten);
  return { ...config, [path]: replaceParameters(withoutPassword, path, replaceWritten) };
}

/** The secrets in a URL of a config as they are written and as they are meant: a server may repeat them in either form. */
export function urlSecretsOf(config: ExporterConfig, path: string): readonly string[] {
  const secrets: string[] = [];
  replaceUrlSecrets(config, path, (secret) => {
    secrets.push(secret, decode(secret), decode(secret.replaceAll("+", " ")));
    return secret;
  });
  return secrets;
}

/** The origin of a URL; empty if the text is not a URL. */
export const originOf = (url: unknown): string =>
  typeof url === "string" && URL.canParse(url) ? new URL(url).origin : "";

/** The user's info ends at the last `@` before the path, and the user's name at the first colon. */
const PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/[^/?#:]*:)([^/?#]+)(?=@[^@/?#]*(?:[/?#]|$))/i;

const replacePassword = (url: string, path: string, replace: ReplaceSecret): string =>
  url.replace(
    PASSWORD,
    (_, before: string, password: string) => before + replace(password, { path, name: path }),
  );

/** Masking a parameter without need does no harm: when its mask is sent back, the stored value stays. */
const SECRET_NAME = /auth|bearer|code|cred|jwt|key|pass|pwd|secret|session|sig|token/i;
const QUERY = /^([^?#]*\?)([^#]*)/;

function replaceParameters(url: string, path: string, replace: ReplaceSecret): string {
  const seen: string[] = [];
  const replaceIn = (parameter: string): string => {
    const [written = "", ...values] = parameter.split("=");
    const [name, value] = [decode(written), values.join("=")];
    if (value === "" || !SECRET_NAME.test(name)) return parameter;
    // A name may occur several times, each time with its own value.
    const count = seen.filter((other) => other === name).length;
    seen.push(name);
    const place = { path, name: `${path}?${name}${count === 0 ? "" : `[${count}]`}` };
    return `${written}=${replace(value, place)}`;
  };
  return url.replace(
    QUERY,
    (_, before: string, query: string) => before + query.split("&").map(replaceIn).join("&"),
  );
}

/** Decodes a text; a text with a broken percent encoding is returned unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // the only error
  }
}
