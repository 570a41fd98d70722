/** The part of a page that a command writes, and the lines between which it stands. */
export interface GeneratedPart {
  readonly name: string;
  /** The npm script that writes the part. */
  readonly command: string;
  readonly text: string;
}

/** The page with this text in place of the one that the part has. Throws where the page has no place for it. */
export function withGeneratedPart(page: string, { name, command, text }: GeneratedPart): string {
  const begin = `<!-- ${name}: npm run ${command} writes this part -->`;
  const [before, after] = [page.indexOf(begin), page.indexOf(`<!-- /${name} -->`)];
  if (before < 0 || after < before) throw new Error(`the page has no place for its ${name}`);
  return `${page.slice(0, before)}${begin}\n${text}\n${page.slice(after)}`;
}

/** A table in Markdown. A bar inside of a cell is escaped. */
export function markdownTable(titles: readonly string[], rows: readonly string[][]): string {
  return [titles, titles.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}
