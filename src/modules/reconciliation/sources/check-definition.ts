import type { SourceDefinition, StatementDefinition } from "./definition.ts";
import { canonicalJson } from "#modules/reconciliation/core/canonical-json.ts";
import { assertLedgerName, invalid } from "#modules/reconciliation/core/fields.ts";
import { readStatement, StatementError } from "#modules/reconciliation/core/statements/index.ts";

/** Longest definition, as JSON in characters: a mapping names columns and words. */
const DEFINITION_LENGTH_MAX = 16_384;

/** Throws `VALIDATION` for a definition that contradicts itself, whatever the books and files hold. */
export async function checkDefinition(definition: SourceDefinition): Promise<void> {
  if (canonicalJson(definition).length > DEFINITION_LENGTH_MAX) {
    throw invalid(`the source has more than ${DEFINITION_LENGTH_MAX} characters as JSON`);
  }
  if (definition.kind === "statement") await checkStatements(definition);
  if (definition.kind === "accounts") assertLedgerName(definition.ledger, "ledger");
}

async function checkStatements({ format, mapping }: StatementDefinition): Promise<void> {
  if (format === "csv" && mapping === undefined) {
    throw invalid("mapping: files of the format csv are read by a mapping, and there is none");
  }
  if (mapping === undefined) return;
  if (format !== undefined && format !== "csv") {
    throw invalid(`mapping: files of the format ${format} are read without a mapping`);
  }
  const problem = await mappingProblem(mapping);
  if (problem !== undefined) throw invalid(`mapping: ${problem}`);
}

/** Why a mapping contradicts itself, which a reader says before it reads. */
async function mappingProblem(
  mapping: NonNullable<StatementDefinition["mapping"]>,
): Promise<string | undefined> {
  try {
    await readStatement("csv", { decimalsOf: () => undefined, mapping }, noBytes()).next();
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    return error.kind === "MAPPING" ? error.message : undefined;
  }
  return undefined;
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
