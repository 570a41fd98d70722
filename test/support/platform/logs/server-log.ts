import { forbiddenIn } from "./forbidden-in-logs.ts";

/** Checks the output of a started server line by line. */
export class ServerLog {
  readonly #found: string[] = [];
  #rest = "";

  add(text: string): void {
    const lines = `${this.#rest}${text}`.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#check(line);
  }

  /** Throws for a line with a secret, or with a number of a card or an account. */
  assertClean(): void {
    this.#check(this.#rest);
    this.#rest = "";
    if (this.#found.length > 0) throw new Error(`the server's log shows ${this.#found.join("; ")}`);
  }

  #check(line: string): void {
    const forbidden = forbiddenIn(line);
    if (forbidden !== undefined) this.#found.push(`${forbidden} in ${line.slice(0, 1000)}`);
  }
}
