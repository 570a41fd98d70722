import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import {
  derivedRestorationToken,
  newRestorationToken,
  RESTORATION_TOKEN,
} from "#platform/restoration/token-text.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** A backup that is restored into a server. */
interface TokenUse {
  readonly url: string;
  /** The SHA-256 of the manifest. */
  readonly backup: string;
  /** The secret of the client that the command has; undefined if it has none. */
  readonly secret: string | undefined;
}

/**
 * The token of a restoration, which a run that goes on finds again, although the clients of the server are being replaced: it is derived from
 * the secret of the command's client and the backup, and it is kept in a file that only the user can read, beside those of logins. Without
 * a client it is random, and only in the file.
 *
 *     ~/.config/florin/restorations/               700
 *       <beginning of the SHA-256>-<host>.token    600
 */
export class RestorationTokens {
  readonly #path: string;
  readonly #derived: string | undefined;

  constructor(env: NodeJS.ProcessEnv, { url, backup, secret }: TokenUse) {
    const configured = env["XDG_CONFIG_HOME"] ?? "";
    const home = env["HOME"] || homedir();
    const folder = isAbsolute(configured) ? configured : join(home, ".config");
    const host = new URL(url).host.replaceAll(/[^\w.-]/g, "_");
    this.#path = join(folder, "florin", "restorations", `${backup.slice(0, 16)}-${host}.token`);
    this.#derived = secret === undefined ? undefined : derivedRestorationToken(secret, backup);
  }

  /** The tokens that a restoration may have which was begun before. Throws `OperatorError` for a file that has none. */
  candidates(): string[] {
    const kept = this.#find();
    return [...new Set([kept, this.#derived].filter((token) => token !== undefined))];
  }

  /** The token of a restoration that begins, which is kept first: where the answer is lost, the server may have it. */
  make(): string {
    const token = this.#derived ?? newRestorationToken();
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    writeFileSync(`${this.#path}.new`, `${token}\n`, { mode: 0o600, flush: true });
    renameSync(`${this.#path}.new`, this.#path);
    return token;
  }

  forget(): void {
    rmSync(this.#path, { force: true });
  }

  #find(): string | undefined {
    if (!existsSync(this.#path)) return undefined;
    const token = readFileSync(this.#path, "utf8").trim();
    if (RESTORATION_TOKEN.test(token)) return token;
    throw new OperatorError(
      `The file ${this.#path} has no token of a restoration. Remove it, and restore again.`,
    );
  }
}
