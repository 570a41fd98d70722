import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { end, identify, isAlive, type ProcessIdentity } from "./processes.ts";
import { OperatorError } from "./project.ts";
import { CURRENT_VERSION, VERSION_FILE, whyFolderRefused } from "./stored/state-version.ts";

/**
 * The state folder of a local server: all data, the secrets, and the address of the server that uses it. Only the owner can read the files.
 */
export class StateFolder {
  readonly path: string;
  readonly #lock: DatabaseSync;

  private constructor(path: string, lock: DatabaseSync) {
    this.path = path;
    this.#lock = lock;
  }

  /**
   * Locks the folder for this process, and creates it if it does not exist. Ends a runtime that has outlived its server and would write the
   * same files. Throws `OperatorError` if another server has the lock, or if another version of Florin has written the folder in a form
   * that this version does not know.
   */
  static async open(path: string): Promise<StateFolder> {
    const folder = new StateFolder(path, takeLock(path));
    folder.#assertKnown();
    const orphan = folder.#read(RUNTIME_FILE) as ProcessIdentity | undefined;
    if (orphan !== undefined) await end(orphan);
    rmSync(folder.temporaryPath, { recursive: true, force: true });
    mkdirSync(folder.temporaryPath, { mode: 0o700 });
    return folder;
  }

  #assertKnown(): void {
    const reason = whyFolderRefused(this.path);
    if (reason !== undefined) {
      this.#lock.close();
      throw new OperatorError(`The state folder ${this.path} can't be used. ${reason}`);
    }
    this.#write(VERSION_FILE, CURRENT_VERSION);
  }

  /** The folder of the data of Miniflare and of `wrangler dev --persist-to`. */
  get dataPath(): string {
    return join(this.path, "v3");
  }

  /** The folder of a runtime's temporary files. A killed server leaves files behind, which the next start deletes. */
  get temporaryPath(): string {
    return join(this.path, "tmp");
  }

  /**
   * The file that holds the secret of the server's client and nothing else, as long as the server runs, so that no output of a command has to
   * show the secret: journals and logs of containers are kept, and are read by others.
   */
  get clientSecretPath(): string {
    return join(this.path, CLIENT_SECRET_FILE);
  }

  /** The secrets of the folder, created at their first use. */
  secrets(): LocalSecrets {
    const known = this.#read(SECRETS_FILE) as LocalSecrets | undefined;
    if (known !== undefined) return known;
    const made: LocalSecrets = {
      clientId: "florin-local",
      clientSecret: randomBytes(24).toString("hex"),
      secretKey: randomBytes(32).toString("base64"),
    };
    this.#write(SECRETS_FILE, made);
    return made;
  }

  /** Records the runtime's process, so that the next start can end it if this server cannot. */
  recordRuntime(pid: number): void {
    const runtime = identify(pid);
    if (runtime !== undefined) this.#write(RUNTIME_FILE, runtime);
  }

  /** Records the address and the client of the server for other programs of the user. */
  announce(server: ServerAddress): void {
    this.#writeText(CLIENT_SECRET_FILE, server.clientSecret);
    this.#write(SERVER_FILE, { ...identify(process.pid), ...server });
  }

  /** Releases the folder. The runtime stays recorded, because it may take a moment to end. */
  release(): void {
    for (const name of [SERVER_FILE, CLIENT_SECRET_FILE]) {
      rmSync(join(this.path, name), { force: true });
    }
    this.#lock.close();
  }

  #read(name: string): unknown {
    return readState(this.path, name);
  }

  #write(name: string, value: object): void {
    this.#writeText(name, `${JSON.stringify(value, undefined, 2)}\n`);
  }

  /** Writes a file atomically, so that a crash leaves the old file. */
  #writeText(name: string, text: string): void {
    const path = join(this.path, name);
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}

/** The secrets that `npm start` creates for local use. */
export interface LocalSecrets {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The value of `FLORIN_SECRET_KEY`. */
  readonly secretKey: string;
}

/** The URL of a server, and the client of its settings. */
export interface ServerAddress {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A server that uses a state folder. */
export type RunningServer = ServerAddress & ProcessIdentity;

/** The state folder that `FLORIN_STATE_DIR` names. */
export const statePath = (env: NodeJS.ProcessEnv, root: string): string =>
  resolve(root, env["FLORIN_STATE_DIR"] || ".florin");

/** The secrets of a state folder; undefined if no server was ever started on it. */
export const readSecrets = (path: string): LocalSecrets | undefined =>
  readState(path, SECRETS_FILE) as LocalSecrets | undefined;

/** The server that uses a state folder now. */
export function findServer(path: string): RunningServer | undefined {
  const server = readState(path, SERVER_FILE) as RunningServer | undefined;
  return server !== undefined && isAlive(server) ? server : undefined;
}

const CLIENT_SECRET_FILE = "client-secret";
const LOCK_FILE = "lock.sqlite";
const RUNTIME_FILE = "runtime.json";
const SECRETS_FILE = "secrets.json";
const SERVER_FILE = "server.json";

/** Takes a lock, which the system releases when its process ends in any way. Creates the folder if it does not exist. */
function takeLock(path: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(path);
    lock = new DatabaseSync(join(path, LOCK_FILE));
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (cause) {
    lock?.close();
    throw new OperatorError(whyNotTaken(path, cause), { cause });
  }
}

/**
 * Creates a folder and its parents. Node's recursive `mkdirSync` never returns if the system reports that an existing parent does not
 * exist, as Linux does for new folders in `/proc`.
 */
function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.toReversed()) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another starting server may have created the folder.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  if (!statSync(path).isDirectory()) throw new Error("it is not a folder");
}

const SQLITE_BUSY = 5;

function whyNotTaken(path: string, cause: unknown): string {
  const { errcode, message } = cause as { errcode?: number; message: string }; // `node:fs` and `node:sqlite` throw errors of this form.
  if (errcode !== SQLITE_BUSY) return `The state folder ${path} can't be used: ${message}.`;
  const server = findServer(path);
  const owner = server === undefined ? "" : ` (${server.url}, process ${server.pid})`;
  return `The state folder ${path} is in use by another server${owner}. Stop it, or set FLORIN_STATE_DIR to another folder.`;
}

/** Reads a file that only this module writes; undefined if the file does not exist yet. */
function readState(path: string, name: string): unknown {
  let text: string;
  try {
    text = readFileSync(join(path, name), "utf8");
  } catch {
    return undefined; // The file does not exist yet.
  }
  return JSON.parse(text);
}
