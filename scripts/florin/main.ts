import { type Call, type Nouns, UsageError } from "./command.ts";
import { completionScript } from "./completion.ts";
import { type Command, parseCommand } from "./parse.ts";
import { stringifyJson } from "#platform/json.ts";
import { Api } from "#scripts/lib/api.ts";
import { FLORIN_PROGRAM } from "#scripts/lib/place.ts";
import { OperatorError } from "#scripts/lib/project.ts";
import { findTarget } from "#scripts/lib/target.ts";

/** The environment of a command line: the variables that name its server, and its outputs. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly write: (line: string) => void;
  readonly note: (line: string) => void;
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
    surroundings.note(error.message);
    return error instanceof UsageError ? EXIT_CODES.usage : EXIT_CODES.failed;
  }
}

async function execute(
  command: Command,
  nouns: Nouns,
  { env, write, note }: Surroundings,
): Promise<number> {
  if (command.kind === "help") {
    write(command.text);
    return EXIT_CODES.done;
  }
  if (command.kind === "completion") {
    write(completionScript(command.shell, FLORIN_PROGRAM, nouns));
    return EXIT_CODES.done;
  }
  const { verb, values, json, url } = command;
  const target = () => findTarget(url === undefined ? env : { ...env, FLORIN_URL: url });
  const connect: Call["connect"] = (scopes) => Api.connect(target(), scopes);
  const { data, lines, failure } = await verb.run({ ...values, note, env, connect });
  if (json) write(stringifyJson(data));
  else lines.forEach(write);
  if (failure === undefined) return EXIT_CODES.done;
  note(failure);
  return EXIT_CODES.failed;
}
