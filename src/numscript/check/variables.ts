import type { CheckedType } from "./builtins.ts";
import { type CheckReport, shown, type VariableSymbol } from "./report.ts";
import { VALUE_TYPES, type ValueType, type VariableDeclaration } from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";

/** A declaration, and what has been found about it so far. */
export interface DeclaredVariable {
  readonly declaration: VariableDeclaration;
  readonly type: CheckedType;
  /** The text in Markdown that an editor shows for the name. */
  readonly hover: string;
  readonly references: Range[];
}

/** The variables declared so far, in order. */
export class VariableTable {
  readonly #all: DeclaredVariable[] = [];
  readonly #byName = new Map<string, DeclaredVariable>();
  readonly #remnants: Remnants | undefined;

  /** `brokenSource` is the text of a script of which parts could not be read. */
  constructor(brokenSource: string | undefined) {
    this.#remnants = brokenSource === undefined ? undefined : findRemnants(brokenSource);
  }

  get all(): readonly DeclaredVariable[] {
    return this.#all;
  }

  find(name: string): DeclaredVariable | undefined {
    return this.#byName.get(name);
  }

  /** Adds a variable, and says whether it is the first one with its name, which is the one that uses belong to. */
  declare(declaration: VariableDeclaration): { variable: DeclaredVariable; isFirst: boolean } {
    const { name, type } = declaration;
    const variable: DeclaredVariable = {
      declaration,
      type: typeNamed(type) ?? "any",
      hover: `\`\`\`\n$${shown(name)}: ${shown(type)}\n\`\`\``,
      references: [],
    };
    const isFirst = !this.#byName.has(name);
    if (isFirst) this.#byName.set(name, variable);
    this.#all.push(variable);
    return { variable, isFirst };
  }

  /** Whether a part that could not be read may declare the name. */
  mayBeDeclared(name: string): boolean {
    return this.#remnants?.declared.has(name) ?? false;
  }

  /** Whether a part that could not be read may use the variable. */
  mayBeUsed(name: string): boolean {
    return (this.#remnants?.mentions.get(name) ?? 0) > 1;
  }

  build(): Pick<CheckReport, "variables" | "neededVariables"> {
    const variables: VariableSymbol[] = [];
    const needed: [string, string][] = [];
    for (const { declaration, references } of this.#all) {
      const { name, type, nameRange, typeRange, origin } = declaration;
      variables.push({
        name,
        type,
        range: nameRange,
        typeRange,
        hasOrigin: origin !== undefined,
        isUsed: references.length > 0,
        references,
      });
      if (origin === undefined) needed.push([name, type]);
    }
    return { variables, neededVariables: Object.fromEntries(needed) };
  }
}

/** The type with a name, if there is one. */
export const typeNamed = (name: string): ValueType | undefined => TYPES.get(name);

const TYPES: ReadonlyMap<string, ValueType> = new Map(VALUE_TYPES.map((type) => [type, type]));

/** What the text of a script says about variables, wherever it says so. */
interface Remnants {
  /** The names that follow a type. */
  readonly declared: ReadonlySet<string>;
  /** How often each name is written. */
  readonly mentions: ReadonlyMap<string, number>;
}

/**
 * An error costs the statement around it, or all declarations. Errors that follow only from their absence would be
 * reported as well, and would be wrong.
 */
function findRemnants(source: string): Remnants {
  const declared = new Set<string>();
  const mentions = new Map<string, number>();
  for (const [, type, name = ""] of source.matchAll(MENTION)) {
    if (type !== undefined) declared.add(name);
    mentions.set(name, (mentions.get(name) ?? 0) + 1);
  }
  return { declared, mentions };
}

const MENTION = new RegExp(
  `(?:\\b(${VALUE_TYPES.join("|")})[ \\t\\r\\n]{1,100})?\\$([a-z_]+[a-z0-9_]*)`,
  "g",
);
