/**
 * The key of a client's metadata that lets it ask for logins by device codes, if its value is `true`. Without it, nobody can begin a
 * login in the name of a client whose codes are otherwise sent to its own redirect URIs only.
 */
export const DEVICE_LOGIN_KEY = "deviceLogin";

export const allowsDeviceLogin = (metadata: Readonly<Record<string, string>>): boolean =>
  metadata[DEVICE_LOGIN_KEY] === "true";
