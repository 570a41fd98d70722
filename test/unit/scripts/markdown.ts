/** A link to a file of the project. The path is empty for a link to a heading of the same page. */
export interface Link {
  readonly path: string;
  readonly anchor: string | undefined;
}

/** The relative links of a page, without those in code blocks. */
export function linksOf(text: string): Link[] {
  const prose = text.replaceAll(BLOCK, "").replaceAll(/`[^`\n]*`/g, "code");
  return [...prose.matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(
    ([, path = "", anchor]) => ({ path, anchor }),
  );
}

/** The anchors of a page's headings, as GitHub makes them. */
export function headingsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, title = ""] of text.replaceAll(BLOCK, "").matchAll(/^#{1,6} (.+)$/gm)) {
    const words = title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "");
    const anchor = words.trim().replaceAll(/\s/g, "-");
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/** The contents of a page's code blocks in a language. */
export const inBlocks = (text: string, language: string): string[] =>
  [...text.matchAll(BLOCK)].flatMap(([, name, code = ""]) => (name === language ? [code] : []));

const BLOCK = /^```(\w*)\n(.*?)^```$/gms;
