import { type Call, type Nouns, UsageError } from "./command.ts";
import { completionScript } from "./completion.ts";
import { findAccess } from "./login/access.ts";
import { type Output, printResult } from "./output.ts";
import { type Command, parseCommand } from "./parse.ts";
import { printable } from "./printable.ts";
import { Api } from "#scripts/lib/api.ts";
import { FLORIN_PROGRAM } from "#scripts/lib/place.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** The environment of a command line: the variables that name its server, its outputs, and the person at the terminal. */
export interface Surroundings extends Output {
  readonly env: NodeJS.ProcessEnv;
  readonly note: (line: string) => void;
  /** Asks the person at the terminal, who types a line; undefined where there is no terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

export const EXIT_CODES = { done: 0, failed: 1, usage: 2 } as const;

/** Runs a command line, and returns its exit code. Throws errors that the operator cannot fix. */
export async function runCommand(
  args: readonly string[],
  nouns: Nouns,
  surroundings: Surroundings,
): Promise<number> {
  try {
    return await execute(parseCommand(args, nouns), nouns, surroundings);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    // The message may have a text of the server.
    for (const line of error.message.split("\n")) surroundings.note(printable(line));
    return error instanceof UsageError ? EXIT_CODES.usage : EXIT_CODES.failed;
  }
}

async function execute(
  command: Command,
  nouns: Nouns,
  surroundings: Surroundings,
): Promise<number> {
  const { env, write, note } = surroundings;
  if (command.kind === "help") {
    await write(command.text);
    return EXIT_CODES.done;
  }
  if (command.kind === "completion") {
    await write(completionScript(command.shell, FLORIN_PROGRAM, nouns));
    return EXIT_CODES.done;
  }
  const { verb, values, json, url } = command;
  const connect: Call["connect"] = (scopes) => Api.open(findAccess(env, url), scopes);
  const confirm = confirmWith(surroundings, values.flag("yes"));
  const result = await verb.run({ ...values, note, env, url, connect, confirm });
  const { failure, remark } = await printResult(result, { json, output: surroundings });
  if (remark !== undefined) note(remark);
  if (failure === undefined) return EXIT_CODES.done;
  note(failure);
  return EXIT_CODES.failed;
}

const confirmWith =
  ({ ask }: Surroundings, isSure: boolean): Call["confirm"] =>
  async (name, loss) => {
    if (isSure) return;
    if (ask === undefined) {
      throw new OperatorError(
        `${loss} Nobody is at a terminal to confirm it, and --yes is not given, so nothing is done.`,
      );
    }
    const answer = await ask(`${loss} Type ${name} to go on: `);
    if (answer.trim() !== name)
      throw new OperatorError("The name is another one. Nothing is done.");
  };
