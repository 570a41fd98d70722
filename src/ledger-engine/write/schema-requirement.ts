import type { SchemaRules } from "./command-runner.ts";
import type { Command } from "#ledger-engine/rules/types.ts";
import type { SchemaStore, SchemaUse } from "#ledger-engine/storage/schema-store.ts";
import { AppError } from "#platform/errors.ts";

/** The rule that writes name a version of the schema once the ledger has one. */
export class SchemaRequirement {
  readonly #schemas: SchemaStore;
  readonly #settings: SchemaRules;

  constructor(schemas: SchemaStore, settings: SchemaRules) {
    this.#schemas = schemas;
    this.#settings = settings;
  }

  /**
   * The schema that a command names, if any. Throws `NOT_FOUND` for an unknown version, and `SCHEMA_NOT_SPECIFIED` if the
   * command must name one.
   */
  schemaOf(command: Command, version: string): SchemaUse | undefined {
    if (version !== "") return this.#schemas.use(version);
    const violation = this.#settings.isStrict ? this.#violationOf(command) : undefined;
    if (violation !== undefined) throw new AppError("SCHEMA_NOT_SPECIFIED", violation);
    return undefined;
  }

  /** Reports an accepted write without a schema, if it should have named one. */
  reportUnnamed(command: Command): void {
    const violation = this.#violationOf(command);
    if (violation !== undefined) this.#settings.report(violation);
  }

  /** The reason why a write must name a schema; undefined if it need not. */
  #violationOf(command: Command): string | undefined {
    const { latest } = this.#schemas;
    if (latest === undefined || command.kind === "insertSchema") return undefined;
    return `a schema version must be specified for this ledger, latest available version is ${latest}`;
  }
}
