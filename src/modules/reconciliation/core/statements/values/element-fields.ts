import type { Field } from "./field.ts";
import { assertFieldLength } from "./texts.ts";
import { REPEATS_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import {
  type FilePosition,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";

/** A value of an element, with the currency that an attribute gives it. */
export interface ElementField extends Field {
  readonly currency?: Field | undefined;
}

/** The values inside of an element, by the path of names from it: `Id/IBAN`. */
export class ElementFields {
  readonly #values = new Map<string, ElementField[]>();
  readonly #name: string;
  readonly position: FilePosition;

  constructor(name: string, position: FilePosition) {
    this.#name = name;
    this.position = position;
  }

  add(path: string, field: ElementField): void {
    assertFieldLength(field, `${this.#name}/${path}`);
    const values = this.#values.get(path);
    if (values === undefined) this.#values.set(path, [field]);
    // Only texts are read of elements that repeat, and their texts are cut anyway.
    else if (values.length < REPEATS_MAX) values.push(field);
  }

  all(path: string): readonly ElementField[] {
    return this.#values.get(path) ?? [];
  }

  /** The first value of the first path that has one. */
  find(...paths: readonly string[]): ElementField | undefined {
    for (const path of paths) {
      const value = this.#values.get(path)?.[0];
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** The value of the first path that has one. Throws `StatementError` when none has. */
  get(...paths: readonly string[]): ElementField {
    const value = this.find(...paths);
    if (value !== undefined) return value;
    const message = `${this.#name} has no ${paths.join(" or ")}.`;
    throw new StatementError("MISSING", message, this.position);
  }

  /** The only value of the first path that has one. Throws `StatementError` when there is none or there are several. */
  only(...paths: readonly string[]): ElementField {
    const value = this.get(...paths);
    this.assertSingle(...paths);
    return value;
  }

  /** Throws `StatementError` when a path has several values, of which none may be preferred. */
  assertSingle(...paths: readonly string[]): void {
    for (const path of paths) {
      const second = this.#values.get(path)?.[1];
      if (second === undefined) continue;
      throw new StatementError("SYNTAX", `${this.#name} has ${path} twice.`, second.position);
    }
  }

  text(...paths: readonly string[]): string | undefined {
    return this.find(...paths)?.text;
  }
}
