import { OperatorError } from "./project.ts";
import { SettingsError } from "#platform/settings.ts";

/** Runs a script's main function. What the operator can put right is shown as a sentence, anything else with its stack. */
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
