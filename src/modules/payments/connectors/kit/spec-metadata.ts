import { refused } from "./orders.ts";

interface WithMetadata {
  readonly metadata: Readonly<Record<string, string>>;
}

/** The entries of metadata that belong to one connector. Their names have its prefix, such as `com.atlar.spec/`. */
export class SpecMetadata {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The full name of an entry. */
  nameOf(name: string): string {
    return `${this.#prefix}${name}`;
  }

  /** Metadata with an entry for each value that is not undefined. */
  write(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        value === undefined ? [] : [[this.nameOf(name), value]],
      ),
    );
  }

  /** The value of an entry; undefined if the entry is absent or empty. */
  find({ metadata }: WithMetadata, name: string): string | undefined {
    const value = metadata[this.nameOf(name)];
    return value === "" ? undefined : value;
  }

  /** The value of an entry. Throws `ConnectorError` if the entry is absent or empty; `of` names the owner of the metadata in the error. */
  require(object: WithMetadata, name: string, of = "the bank account"): string {
    const value = this.find(object, name);
    if (value !== undefined) return value;
    throw refused(`${this.nameOf(name)} is required in the metadata of ${of}`);
  }
}
