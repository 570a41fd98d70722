import type { StatementEvent } from "#modules/reconciliation/core/statements/model/statement.ts";

/** Reads the text of a file piece by piece. Each call returns what the text until there has given. */
export interface FormatReader {
  write(text: string): readonly StatementEvent[];
  end(): readonly StatementEvent[];
}
