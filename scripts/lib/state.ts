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

/**
 * The state folder of a local server: all data, secrets, and who is using it. Files are readable by their owner only.
 */
export class StateFolder {
  readonly path: string;
  readonly #lock: DatabaseSync;

  private constructor(path: string, lock: DatabaseSync) {
    this.path = path;
    this.#lock = lock;
  }

  /**
   * Takes the folder for this process, and makes it if need be. A runtime that outlived its server is ended first: it
   * would write the same files. Throws `OperatorError` when another server has it.
   */
  static async open(path: string): Promise<StateFolder> {
    const folder = new StateFolder(path, takeLock(path));
    const orphan = folder.#read(RUNTIME_FILE) as ProcessIdentity | undefined;
    if (orphan !== undefined) await end(orphan);
    rmSync(folder.temporaryPath, { recursive: true, force: true });
    mkdirSync(folder.temporaryPath, { mode: 0o700 });
    return folder;
  }

  /** Where Miniflare, and `wrangler dev --persist-to`, keep their data. */
  get dataPath(): string {
    return join(this.path, "v3");
  }

  /** For what a runtime doesn't need again. A server that was killed leaves it behind, and the next start clears it. */
  get temporaryPath(): string {
    return join(this.path, "tmp");
  }

  /** The secrets of this folder, made at first use. */
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

  /** Records the process that works on the data, to be ended by the next start if this one can't do it. */
  recordRuntime(pid: number): void {
    const runtime = identify(pid);
    if (runtime !== undefined) this.#write(RUNTIME_FILE, runtime);
  }

  /** Tells other programs of this user where the server is. */
  announce(server: ServerAddress): void {
    this.#write(SERVER_FILE, { ...identify(process.pid), ...server });
  }

  /** Gives the folder back. The runtime stays on record: it may take a moment to end. */
  release(): void {
    rmSync(join(this.path, SERVER_FILE), { force: true });
    this.#lock.close();
  }

  #read(name: string): unknown {
    return readState(this.path, name);
  }

  /** All or nothing: a crash leaves the old file. */
  #write(name: string, value: object): void {
    const path = join(this.path, name);
    writeFileSync(`${path}.new`, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}

/** What `npm start` makes for local use. */
export interface LocalSecrets {
  readonly clientId: string;
  readonly clientSecret: string;
  /** `FLORIN_SECRET_KEY` */
  readonly secretKey: string;
}

/** Where a server is, and the client that it was started with. */
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

/** The server that uses a state folder now. */
export function findServer(path: string): RunningServer | undefined {
  const server = readState(path, SERVER_FILE) as RunningServer | undefined;
  return server !== undefined && isAlive(server) ? server : undefined;
}

const LOCK_FILE = "lock.sqlite";
const RUNTIME_FILE = "runtime.json";
const SECRETS_FILE = "secrets.json";
const SERVER_FILE = "server.json";

/** A lock that the system gives back when its owner is gone, however it went. Makes the folder if need be. */
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
 * Makes a folder and those above it. Node's recursive `mkdirSync` never returns where the system says of an existing folder
 * that it does not exist, which Linux does for new folders in `/proc`.
 */
function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.toReversed()) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another start may make the same folders.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  if (!statSync(path).isDirectory()) throw new Error("it is not a folder");
}

const SQLITE_BUSY = 5;

function whyNotTaken(path: string, cause: unknown): string {
  const { errcode, message } = cause as { errcode?: number; message: string }; // of `node:fs` or `node:sqlite`
  if (errcode !== SQLITE_BUSY) return `The state folder ${path} can't be used: ${message}.`;
  const server = findServer(path);
  const owner = server === undefined ? "" : ` (${server.url}, process ${server.pid})`;
  return `The state folder ${path} is in use by another server${owner}. Stop it, or set FLORIN_STATE_DIR to another folder.`;
}

/** What this module wrote into a file, which no one else writes. */
function readState(path: string, name: string): unknown {
  let text: string;
  try {
    text = readFileSync(join(path, name), "utf8");
  } catch {
    return undefined; // not written yet
  }
  return JSON.parse(text);
}
