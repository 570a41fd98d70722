import { OperatorError } from "./project.ts";
import { SettingsError } from "#platform/settings.ts";

/** How a script is called. */
export interface Usage {
  /** What `--help` prints. */
  readonly text: string;
  /** Whether the script reads options of its own. A script that takes none refuses all but `--help`. */
  readonly hasOptions?: boolean;
}

/**
 * Runs a script's main function, or prints its usage for `--help`. Prints an error that the operator can fix as a sentence, and any other
 * error with its stack.
 */
export async function run(main: () => Promise<void>, usage?: Usage): Promise<void> {
  try {
    const args = process.argv.slice(2);
    if (usage !== undefined && args.some((arg) => arg === "--help" || arg === "-h")) {
      process.stdout.write(`${usage.text}\n`);
      return;
    }
    if (usage !== undefined && usage.hasOptions !== true && args.length > 0) {
      throw new OperatorError(`The options ${args.join(" ")} are not known.\n\n${usage.text}`);
    }
    await main();
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exit(1);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected = error instanceof OperatorError || error instanceof SettingsError;
  return expected ? error.message : (error.stack ?? error.message);
}
