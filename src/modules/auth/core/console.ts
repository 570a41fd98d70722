import { baseOfIssuer } from "./issuer-url.ts";

/** The id of the console's own client, which is built in. */
export const CONSOLE_CLIENT_ID = "florin-console";

/** The path of the console below the public URL. */
const CONSOLE_PATH = "/console";

/** The URL of the console, to which it comes back after a logout. */
export const consoleUrl = (issuer: string): string => `${baseOfIssuer(issuer)}${CONSOLE_PATH}`;

/** The only URL to which the console's codes are sent. */
export const consoleCallbackUrl = (issuer: string): string => `${consoleUrl(issuer)}/callback`;

/** The link with which somebody signs in, once. Browsers send no fragment, so no server and no log sees the secret. */
export const signInUrl = (issuer: string, secret: string): string =>
  `${consoleUrl(issuer)}/sign-in#${secret}`;
