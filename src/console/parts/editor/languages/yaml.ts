import { StreamLanguage } from "@codemirror/language";

interface State {
  /** The indentation of the line with the mark of a block of text, which lines with more indentation belong to. */
  block: number | undefined;
}

const TOKENS: readonly (readonly [pattern: RegExp, style: string])[] = [
  [/^#.*/, "comment"],
  [/^(?:---|\.\.\.)$/, "operator"],
  [/^-(?=\s|$)/, "operator"],
  [
    /^(?:"(?:\\.|[^"\\])*"|'(?:''|[^'])*'|[^\s#:{}[\],"'][^:#{}[\],]*)(?=\s*:(?:\s|$))/,
    "propertyName",
  ],
  [/^"(?:\\.|[^"\\])*"?/, "string"],
  [/^'(?:''|[^'])*'?/, "string"],
  [/^-?\d+(?:\.\d+)?(?=\s*(?:$|[,\]}#]))/, "number"],
  [/^(?:true|false|null|~)(?=\s*(?:$|[,\]}#]))/, "keyword"],
  [/^[{}[\]]/, "bracket"],
  [/^[:,]/, "punctuation"],
  [/^[^\s#,{}[\]][^#,{}[\]]*/, "string"],
];

export const yaml = StreamLanguage.define<State>({
  name: "yaml",
  startState: () => ({ block: undefined }),
  token: (stream, state) => {
    if (stream.sol() && state.block !== undefined) {
      if (stream.indentation() > state.block) {
        stream.skipToEnd();
        return "string";
      }
      state.block = undefined;
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^[|>][+-]?\d?(?=\s*$)/)) {
      state.block = stream.indentation();
      return "operator";
    }
    for (const [pattern, style] of TOKENS) if (stream.match(pattern)) return style;
    stream.next();
    return null;
  },
  languageData: {
    commentTokens: { line: "#" },
    closeBrackets: { brackets: ["[", "{", '"', "'"] },
  },
});
