/** The text that is shown in place of a secret. A client that sends it back means the stored secret. */
export const SECRET_MASK = "***";

/**
 * Gives the replacement of a secret in a URL. The place is `""` for the password before the host and `?token` for a parameter; each secret
 * of a URL has a place of its own.
 */
export type ReplaceUrlSecret = (secret: string, place: string) => string;

/**
 * Replaces the secrets in a URL: the password before the host, and the values of query parameters whose names suggest a secret. The rest of
 * the text stays as it was written.
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

export const maskUrlSecrets = (url: string): string => replaceUrlSecrets(url, () => SECRET_MASK);

/** The secrets in a URL, in encoded and in decoded form: a server may repeat a secret in either form. */
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

/** Shortest secret that is masked, in characters. Shorter secrets occur in many texts, so that masks would reveal them. */
const SECRET_LENGTH_MIN = 4;

/** Masks secrets in a text from outside. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    if (secret.length >= SECRET_LENGTH_MIN) shown = shown.replaceAll(secret, SECRET_MASK);
  }
  return shown;
}

/** The password of a URL: the user info ends at the last `@` before the path, and the user's name at the first colon. */
const PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/[^/?#:]*:)([^/?#]+)(?=@[^@/?#]*(?:[/?#]|$))/i;

/** Names of parameters that suggest a secret. Needless masks do no harm: when a mask is sent back, the stored value stays. */
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
    return text; // `decodeURIComponent` throws only for a malformed sequence.
  }
}
