import type * as sqlite from "node:sqlite";

/** The oldest version of Node whose `node:sqlite` needs no flag. */
const NODE_MIN = "22.13";

/**
 * The classes of `node:sqlite`. An import of a module that Node lacks fails before any code runs, and with an error that names no version,
 * so that this module asks for `node:sqlite` by a call. Throws an error that names the version of Node which is needed.
 */
export const { DatabaseSync } = required();
export type DatabaseSync = sqlite.DatabaseSync;
export type StatementSync = sqlite.StatementSync;

function required(): typeof sqlite {
  // Node 20 has the function from 20.16 on, and no `node:sqlite`.
  const { getBuiltinModule } = process as Partial<typeof process>;
  const module = getBuiltinModule?.call(process, "node:sqlite") as typeof sqlite | undefined; // the module of this name
  if (module !== undefined) return module;
  throw new Error(
    `A ledger needs SQLite in Node, which Node ${NODE_MIN} and later have; this is Node ${process.versions.node}.`,
  );
}
