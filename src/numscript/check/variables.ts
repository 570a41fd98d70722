import type { CheckedType } from "./builtins.ts";
import { type CheckReport, shown, type VariableSymbol } from "./report.ts";
import { VALUE_TYPES, type ValueType, type VariableDeclaration } from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";

/** A declaration with its uses so far. */
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

  /** `brokenSource` is the text of the script if some of its parts could not be parsed. */
  constructor(brokenSource: string | undefined) {
    this.#remnants = brokenSource === undefined ? undefined : findRemnants(brokenSource);
  }

  get all(): readonly DeclaredVariable[] {
    return this.#all;
  }

  find(name: string): DeclaredVariable | undefined {
    return this.#byName.get(name);
  }

  /** Adds a variable. Uses belong to the first variable of a name, which `isFirst` tells. */
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

  /** Whether a part that could not be parsed may declare the name. */
  mayBeDeclared(name: string): boolean {
    return this.#remnants?.declared.has(name) ?? false;
  }

  /** Whether a part that could not be parsed may use the variable. */
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

/** The type with a name; undefined if there is none. */
export const typeNamed = (name: string): ValueType | undefined => TYPES.get(name);

const TYPES: ReadonlyMap<string, ValueType> = new Map(VALUE_TYPES.map((type) => [type, type]));

/** The names of variables that occur anywhere in the text of a script. */
interface Remnants {
  /** The names that follow a type. */
  readonly declared: ReadonlySet<string>;
  /** The number of occurrences of each name. */
  readonly mentions: ReadonlyMap<string, number>;
}

/**
 * Finds variables in the text of a script with syntax errors. The tree lacks the statement around an error, or all
 * declarations; without this search, variables of missing parts would be reported as undeclared or unused.
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
