/** What stands in the place of a secret. Sent back, it means the stored secret. */
export const SECRET_MASK = "***";

/**
 * Gives what stands in the place of a secret in a URL. The place is `""` for the password before the host and `?token` for a parameter, and no two
 * secrets of a URL have the same place.
 */
export type ReplaceUrlSecret = (secret: string, place: string) => string;

/**
 * Replaces the secrets in a URL: the password before the host, and the values of query parameters whose name speaks of a secret. All
 * else stays as it was written.
 */
export function replaceUrlSecrets(url: string, replace: ReplaceUrlSecret): string {
  // Some programs percent-encode the mask when they send it back.
  const replaceWritten: ReplaceUrlSecret = (secret, place) =>
    replace(decode(secret) === SECRET_MASK ? SECRET_MASK : secret, place);
  const withoutPassword = url.replace(
    PASSWORD,
    (_, before: string, password: string) => before + replaceWritten(password, ""),
  );
  return replaceParameters(withoutPassword, replaceWritten);
}

/** The URL as it is shown. */
export const maskUrlSecrets = (url: string): string => replaceUrlSecrets(url, () => SECRET_MASK);

/** The secrets in a URL as they are written and as they are meant: a server may repeat them in either form. */
export function urlSecretsOf(url: string): readonly string[] {
  const secrets: string[] = [];
  replaceUrlSecrets(url, (secret) => {
    secrets.push(secret, decode(secret), decode(secret.replaceAll("+", " ")));
    return secret;
  });
  return secrets;
}

/** The secrets in a URL, by their places. */
export function urlSecretsByPlace(url: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  replaceUrlSecrets(url, (secret, place) => {
    found.set(place, secret);
    return secret;
  });
  return found;
}

/** The origin of a URL; empty if the text is not a URL. */
export const originOf = (url: unknown): string =>
  typeof url === "string" && URL.canParse(url) ? new URL(url).origin : "";

/** Shortest secret that is masked, in characters. Shorter ones occur in any text, so masks would reveal them. */
const SECRET_LENGTH_MIN = 4;

/** A text from elsewhere without the secrets. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    if (secret.length >= SECRET_LENGTH_MIN) shown = shown.replaceAll(secret, SECRET_MASK);
  }
  return shown;
}

/** The user's info ends at the last `@` before the path, and the user's name at the first colon. */
const PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/[^/?#:]*:)([^/?#]+)(?=@[^@/?#]*(?:[/?#]|$))/i;

/** Masking a parameter without need does no harm: when its mask is sent back, the stored value stays. */
const SECRET_NAME = /auth|bearer|code|cred|jwt|key|pass|pwd|secret|session|sig|token/i;
const QUERY = /^([^?#]*\?)([^#]*)/;

function replaceParameters(url: string, replace: ReplaceUrlSecret): string {
  const seen: string[] = [];
  const replaceIn = (parameter: string): string => {
    const [written = "", ...values] = parameter.split("=");
    const [name, value] = [decode(written), values.join("=")];
    if (value === "" || !SECRET_NAME.test(name)) return parameter;
    // A name may occur several times, each time with its own value.
    const count = seen.filter((other) => other === name).length;
    seen.push(name);
    return `${written}=${replace(value, `?${name}${count === 0 ? "" : `[${count}]`}`)}`;
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
