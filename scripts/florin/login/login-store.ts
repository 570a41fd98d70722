import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { OperatorError } from "#scripts/lib/project.ts";

const StoredLogin = z.object({
  /** The person's e-mail address. */
  person: z.string(),
  scopes: z.array(z.string()),
  accessToken: z.string(),
  /** When the access token ends, in milliseconds since 1970. */
  expiresMs: z.number(),
  refreshToken: z.string(),
});
/** A person's login at a server. */
export type StoredLogin = z.output<typeof StoredLogin>;

const LoginFile = z.object({ version: z.literal(1), logins: z.record(z.string(), StoredLogin) });
type Logins = z.output<typeof LoginFile>["logins"];

/**
 * The logins of this user, one for each server, in a file that only its owner can read and write. A change holds a lock, which ends with
 * its process, and writes the file anew: a crash leaves the old file.
 *
 *     ~/.config/florin/            700
 *       logins.json                600   {"version": 1, "logins": {"https://pay.example.com": {…}}}
 *       logins.lock                600   a database whose exclusive transaction is the lock
 */
export class LoginStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The store in `$XDG_CONFIG_HOME`, or else in `~/.config`. A relative `$XDG_CONFIG_HOME` counts as none. */
  static of(env: NodeJS.ProcessEnv): LoginStore {
    const configured = env["XDG_CONFIG_HOME"] ?? "";
    const home = env["HOME"] || homedir();
    return new LoginStore(
      join(isAbsolute(configured) ? configured : join(home, ".config"), "florin"),
    );
  }

  get path(): string {
    return join(this.#folder, "logins.json");
  }

  /** The login at a server, by the origin of its URL. Throws `OperatorError` if others may read or replace the file. */
  find(origin: string): StoredLogin | undefined {
    return this.#read()[origin];
  }

  /** All logins, by the origins of their servers. Throws `OperatorError` as `find` does. */
  all(): ReadonlyMap<string, StoredLogin> {
    return new Map(Object.entries(this.#read()));
  }

  /**
   * Changes the login at a server while no other program does. `change` gets the present login, and returns the next one; undefined removes
   * it. The result of `change` is the result.
   */
  async update(
    origin: string,
    change: (present: StoredLogin | undefined) => Promise<StoredLogin | undefined>,
  ): Promise<StoredLogin | undefined> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    assertPrivate(this.#folder, OTHERS_CHANGE);
    const lock = await takeLock(join(this.#folder, "logins.lock"));
    try {
      const { [origin]: present, ...others } = this.#read();
      const next = await change(present);
      if (next !== present)
        this.#write(next === undefined ? others : { ...others, [origin]: next });
      return next;
    } finally {
      lock.close();
    }
  }

  #read(): Logins {
    if (!existsSync(this.path)) return {};
    assertPrivate(this.#folder, OTHERS_CHANGE);
    assertPrivate(this.path, OTHERS_USE);
    try {
      return LoginFile.parse(JSON.parse(readFileSync(this.path, "utf8"))).logins;
    } catch (cause) {
      throw new OperatorError(
        `The file ${this.path} is no list of logins. Delete it, and log in again.`,
        { cause },
      );
    }
  }

  #write(logins: Logins): void {
    const text = `${JSON.stringify({ version: 1, logins }, undefined, 2)}\n`;
    writeFileSync(`${this.path}.new`, text, { mode: 0o600 });
    renameSync(`${this.path}.new`, this.path);
  }
}

const OTHERS_CHANGE = 0o022;
const OTHERS_USE = 0o077;

/** Throws `OperatorError` if the mode of a file or folder has one of the rights. Windows has no such modes. */
function assertPrivate(path: string, rights: number): void {
  if (process.platform === "win32") return;
  const { mode, uid } = statSync(path);
  if (uid !== process.getuid?.()) {
    throw new OperatorError(
      `${path} belongs to another user. Logins are read from your own files only.`,
    );
  }
  if ((mode & rights) === 0) return;
  const wanted = statSync(path).isDirectory() ? "700" : "600";
  throw new OperatorError(
    `Others may use ${path}, which keeps logins: its mode is ${(mode & 0o777).toString(8)}. Run \`chmod ${wanted} ${path}\`, and log in again if somebody may have read it.`,
  );
}

/** Longer than a program that has the lock waits for its server. */
const LOCK_WAIT_MS = 60_000;
const LOCK_POLL_MS = 20;

/** Takes the lock, which the system releases when its process ends in any way. Throws `OperatorError` if another program keeps it. */
async function takeLock(path: string): Promise<DatabaseSync> {
  if (!existsSync(path)) writeFileSync(path, "", { mode: 0o600, flag: "a" });
  const deadline = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    const lock = new DatabaseSync(path);
    try {
      lock.exec("BEGIN EXCLUSIVE");
      return lock;
    } catch (cause) {
      lock.close();
      const { errcode } = cause as { errcode?: number }; // `node:sqlite` throws errors of this form.
      if (errcode !== SQLITE_BUSY || performance.now() > deadline) {
        throw new OperatorError(`The lock ${path} of the logins cannot be taken.`, { cause });
      }
    }
    await delay(LOCK_POLL_MS);
  }
}

const SQLITE_BUSY = 5;
