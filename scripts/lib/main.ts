import { OperatorError } from "./project.ts";
import { SettingsError } from "#platform/settings.ts";

/** Runs a script's main function. Prints an error that the operator can fix as a sentence, and any other error with its stack. */
export async function run(main: () => Promise<void>): Promise<void> {
  try {
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
