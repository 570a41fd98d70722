import type { MarkdownOptions } from "vitepress";

/** The kinds of tokens that the site colours, with the TextMate scopes that belong to each. The style sheet has a class `code-<kind>`. */
const KINDS = {
  comment: ["comment", "punctuation.definition.comment"],
  keyword: ["keyword", "storage", "variable.language", "keyword.operator.word"],
  string: ["string", "punctuation.definition.string"],
  constant: ["constant", "support.constant", "entity.name.tag.yaml", "support.type.property-name"],
  name: ["entity.name.function", "support.function", "entity.name.type", "support.class"],
} as const;

/** The text and its ground. Neither appears on the page. */
const PLAIN = "#000000";
const GROUND = "#ffffff";

/** Colours that stand for the kinds, because the highlighter knows colours only. */
const colourOf = (index: number): string => `#00000${index + 1}`;

/**
 * How code is coloured. The highlighter writes the colour of each token into an inline style, which the policy of the pages forbids, so
 * that each colour becomes a class. The classes have another colour in the dark.
 */
export const CODE: Pick<MarkdownOptions, "theme" | "codeTransformers"> = {
  theme: {
    name: "florin",
    type: "light",
    fg: PLAIN,
    bg: GROUND,
    settings: Object.values(KINDS).map((scope, index) => ({
      scope: [...scope],
      settings: { foreground: colourOf(index) },
    })),
  },
  codeTransformers: [
    {
      name: "florin:classes",
      pre: ({ properties }) => void delete properties["style"],
      span: ({ properties }) => {
        const style = properties["style"]?.toString().toLowerCase() ?? "";
        delete properties["style"];
        const index = Object.keys(KINDS).findIndex((_, at) => style.includes(colourOf(at)));
        const kind = Object.keys(KINDS)[index];
        if (kind !== undefined) properties["class"] = `code-${kind}`;
      },
    },
  ],
};
