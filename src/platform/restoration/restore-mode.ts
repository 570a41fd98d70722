import { AppError } from "#platform/errors.ts";
import { armingSettings } from "#platform/platform-settings.ts";

/** Time after which a refused client may try again, in seconds. A restoration takes minutes. */
const RETRY_AFTER_SECONDS = 30;

/**
 * Whether the deployment is served to take a backup, by the setting `FLORIN_RESTORE`. Then it does nothing else: requests are refused,
 * messages go back to their queues, and alarms ring later. A setting holds from the first moment of every isolate on, and costs other
 * deployments nothing:
 *
 *     FLORIN_RESTORE=true ──► begin ─► rows, logs, objects ─► end ──► without the setting: the deployment works, disarmed
 *                               │                                        ▲
 *                               └── broken off: StateGuard refuses ──────┘ only after the end
 */
export const isTakingBackup = (env: object): boolean => armingSettings.of(env).FLORIN_RESTORE;

/** Paths that are served nevertheless: the restoration itself, and what says how the server is. */
const SERVED =
  /^\/api\/(?:florin\/v1\/(?:restorations(?:\/.*)?|status)|auth\/oauth\/token|auth\/\.well-known\/.*|\w+(?:\/v[23])?\/(?:_info|_healthcheck|_\/info|_\/healthcheck))$/;
/** The paths outside of `/api/` that are no files and no descriptions. */
const MEMBERSHIP = /^\/(?:organizations|userinfo)(?:\/|$)/;

/** Whether a path works on the data of a deployment, and not only on files and descriptions. */
export const isOfData = (path: string): boolean =>
  path.startsWith("/api/") || MEMBERSHIP.test(path);

/** Throws `OVERLOADED` for a request with this path, unless it is served while a backup is taken. */
export function assertServedMeanwhile(path: string): void {
  if (!isOfData(path) || SERVED.test(path)) return;
  throw new AppError(
    "OVERLOADED",
    "the deployment is served with FLORIN_RESTORE, to take a backup by florin backup restore, and does nothing else: when the backup is there, take the setting away and serve the deployment again",
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

/** Throws `CONFLICT` for a request of a restoration in a deployment that is not served to take a backup. */
export function assertTakingBackup(env: object): void {
  if (isTakingBackup(env)) return;
  throw new AppError(
    "CONFLICT",
    "this deployment is not served to take a backup: where its backup is there already, nothing is to be done; where it is empty, set FLORIN_RESTORE=true, serve it again, and restore then",
  );
}
