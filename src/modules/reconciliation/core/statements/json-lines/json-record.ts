import { memberStart } from "./member-start.ts";
import {
  type FilePosition,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { Line } from "#modules/reconciliation/core/statements/text/line-splitter.ts";
import type { Field } from "#modules/reconciliation/core/statements/values/field.ts";
import { assertFieldLength } from "#modules/reconciliation/core/statements/values/texts.ts";
import { parseJson } from "#platform/json.ts";

/** An object of a line, whose members are texts, whole numbers or null. */
export class JsonRecord {
  readonly #line: Line;
  readonly #object: Readonly<Record<string, unknown>>;
  /** Where the object begins in the line. */
  readonly #start: number;

  private constructor(line: Line, object: Readonly<Record<string, unknown>>, start: number) {
    this.#line = line;
    this.#object = object;
    this.#start = start;
  }

  /** Throws `StatementError` for a line that is no JSON object. */
  static parse(line: Line): JsonRecord {
    const start = line.text.search(/\S/);
    try {
      const value = parseJson(line.text);
      if (isObject(value)) return new JsonRecord(line, value, start);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const message = "The line is no JSON, or has an integer or nesting that is too long.";
      throw new StatementError("SYNTAX", message, line.at(faultOf(error, line.text)));
    }
    throw new StatementError("SYNTAX", "The line is no JSON object.", line.at(start));
  }

  get position(): FilePosition {
    return this.#line.at(this.#start);
  }
  get raw(): string {
    return this.#line.text.trim();
  }

  has(name: string): boolean {
    return this.#object[name] !== undefined && this.#object[name] !== null;
  }

  /** The object of a member. */
  object(name: string): JsonRecord {
    const value = this.#object[name];
    if (isObject(value)) return new JsonRecord(this.#line, value, this.#startOf(name));
    throw new StatementError("VALUE", `The member ${name} is no object.`, this.at(name));
  }

  /** A text; undefined when it is absent or null. */
  text(name: string): Field | undefined {
    const value = this.#object[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string")
      throw new StatementError("VALUE", `The member ${name} is no text.`, this.at(name));
    const at = (): FilePosition => this.at(name);
    const field: Field = {
      text: value,
      get position() {
        return at();
      },
    };
    assertFieldLength(field, `The member ${name}`);
    return field;
  }

  /** A text that must be there. */
  require(name: string): Field {
    const field = this.text(name);
    if (field !== undefined && field.text.trim() !== "") return field;
    throw new StatementError(
      "MISSING",
      `The line has no ${name}.`,
      this.has(name) ? this.at(name) : this.position,
    );
  }

  /** A whole number, or a text of one, of the smallest unit. */
  integer(name: string, digitsMax: number): bigint | undefined {
    const value = this.#object[name];
    if (value === undefined || value === null) return undefined;
    const text = ["bigint", "number", "string"].includes(typeof value) ? `${value as bigint}` : "";
    if (/^-?\d+$/.test(text) && text.length <= digitsMax) return BigInt(text);
    const message = `The member ${name} is no whole number of the smallest unit with at most ${digitsMax} digits.`;
    throw new StatementError("AMOUNT", message, this.at(name));
  }

  /** Throws `StatementError` for a member that is not among these. */
  assertOnly(names: ReadonlySet<string>): void {
    for (const name of Object.keys(this.#object)) {
      if (names.has(name)) continue;
      const known = [...names].join(", ");
      throw new StatementError(
        "VALUE",
        `The line has a member that is none of ${known}.`,
        this.at(name),
      );
    }
  }

  /** Where a member's value begins. */
  at(name: string): FilePosition {
    return this.#line.at(this.#startOf(name));
  }

  #startOf(name: string): number {
    return memberStart(this.#line.text, this.#start, name) ?? this.#start;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Where the engine says that JSON is wrong; the beginning of the line when it does not say. */
function faultOf(error: SyntaxError, text: string): number {
  const index = Number(/at position (\d+)/.exec(error.message)?.[1] ?? 0);
  if (/end of JSON/.test(error.message)) return text.length;
  return Math.min(index, text.length);
}
