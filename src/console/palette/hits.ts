/** Something that was found. */
export interface Hit {
  /** Its page. */
  readonly path: string;
  /** A name, reference, address or id, as somebody has written it. */
  readonly title: string;
  /** What tells it from others with the same title. */
  readonly note?: string;
}

/** A path of the console with encoded parameters. */
export const pathOf = (texts: TemplateStringsArray, ...values: readonly unknown[]): string =>
  texts.reduce(
    (path, text, index) => `${path}${encodeURIComponent(String(values[index - 1]))}${text}`,
  );
