import { DeclaredSettings, integer, optionalText } from "#platform/settings.ts";

/** An hour of the day, as a text: `0` to `23`. */
const HOUR = /^(?:\d|1\d|2[0-3])$/;
/** A public key in PEM; the newlines may be written as `\n`. */
const PUBLIC_KEY =
  /^-----BEGIN PUBLIC KEY-----(?:\\n|\s)[A-Za-z\d+/=\\n\s]+-----END PUBLIC KEY-----(?:\\n|\s)*$/;

export const deploymentSettings = new DeclaredSettings({
  FLORIN_BACKUP_HOUR: optionalText(
    "an hour of the day in UTC, from 0 to 23",
    (value) => HOUR.test(value),
    {
      meaning:
        "The hour of the day, in UTC, at which the deployment saves itself into the bucket FLORIN_BACKUPS; the first backup begins at once. Not set, it does not; see docs/operations/scheduled-backups.md",
    },
  ),
  FLORIN_BACKUP_KEEP: integer(
    { least: 1, most: 366 },
    { standard: "7", meaning: "How many backups the bucket keeps" },
  ),
  FLORIN_BACKUP_PUBLIC_KEY: optionalText(
    "a public key of X25519 in PEM, whose newlines may be written as \\n",
    (value) => PUBLIC_KEY.test(value),
    {
      meaning:
        "The public key to which FLORIN_SECRET_KEY and the previous keys are encrypted in backups; its private key is kept elsewhere. Not set, backups have no keys",
    },
  ),
});
