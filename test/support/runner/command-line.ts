import type { Nouns } from "#scripts/florin/command.ts";
import { runCommand } from "#scripts/florin/main.ts";
import { loadNouns } from "#scripts/florin/nouns.ts";

/** What a command of `npm run florin` has printed, and its exit code. */
export interface Ran {
  readonly code: number;
  /** The lines of the result, without a newline at the end. */
  readonly output: string;
  /** The lines for the operator, which a terminal shows on standard error. */
  readonly notes: string;
}

let nouns: Promise<Nouns> | undefined;

/** Runs a command line in this process, which takes a tenth of the time of a process of its own. `onNote` sees what it tells the operator. */
export async function runCommandLine(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  onNote: (line: string) => void = () => undefined,
): Promise<Ran> {
  const [lines, notes]: [string[], string[]] = [[], []];
  const code = await runCommand(args, await (nouns ??= loadNouns()), {
    env,
    write: (line) => void lines.push(line),
    note: (line) => {
      notes.push(line);
      onNote(line);
    },
  });
  return { code, output: lines.join("\n"), notes: notes.join("\n") };
}

/** Returns a function that runs command lines in an environment, and returns their output. It throws where a command fails. */
export const commandLine =
  (env: NodeJS.ProcessEnv) =>
  async (...args: string[]): Promise<string> => {
    const { code, output, notes } = await runCommandLine(env, args);
    if (code !== 0) throw new Error(`florin ${args.join(" ")} ends with ${code}: ${notes}`);
    return output;
  };
