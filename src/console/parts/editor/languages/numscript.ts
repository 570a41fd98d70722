import { StreamLanguage, type StringStream } from "@codemirror/language";

interface State {
  /** Open block comments, which nest. */
  comments: number;
  /** Open brackets, by which lines are indented. */
  depth: number;
}

const KEYWORDS: ReadonlySet<string> = new Set(
  "vars send save source destination from to max up remaining kept allowing unbounded overdraft oneof with scaling through allocate print fail".split(
    " ",
  ),
);
const TYPES: ReadonlySet<string> = new Set([
  "account",
  "asset",
  "number",
  "monetary",
  "portion",
  "string",
]);
const FUNCTIONS: ReadonlySet<string> = new Set([
  "set_tx_meta",
  "set_account_meta",
  "meta",
  "balance",
  "get_asset",
  "get_amount",
]);

/** The words of the language, for completion. */
export const NUMSCRIPT_WORDS = { keywords: [...KEYWORDS], types: [...TYPES] } as const;

/** Kinds of tokens that one pattern recognises. The first pattern that fits wins. */
const TOKENS: readonly (readonly [pattern: RegExp, style: string])[] = [
  [/^\/\/.*/, "comment"],
  [/^"(?:\\.|[^"\\])*"?/, "string"],
  [/^\$[a-z_][a-z0-9_]*/, "variableName"],
  [/^@[\w$-]+(?::[\w$-]+)*/, "labelName"],
  [/^\d+(?:\.\d+)?%/, "number"],
  [/^\d[\d_]*(?: ?\/ ?\d+)?/, "number"],
  [/^[A-Z][A-Z0-9]*(?:\/\d+)?/, "unit"],
];

function token(stream: StringStream, state: State): string | null {
  if (state.comments > 0 || stream.match("/*")) {
    readComment(stream, state);
    return "comment";
  }
  if (stream.eatSpace()) return null;
  for (const [pattern, style] of TOKENS) if (stream.match(pattern)) return style;
  if (stream.match(/^[a-z_]+/)) return styleOf(stream.current());
  const character = stream.next() ?? "";
  if ("([{".includes(character)) state.depth++;
  else if (")]}".includes(character)) state.depth = Math.max(0, state.depth - 1);
  else return "operator";
  return "bracket";
}

/** Reads a block comment up to its end or the end of the line. The first of its marks may already be read. */
function readComment(stream: StringStream, state: State): void {
  if (state.comments === 0) state.comments = 1;
  while (state.comments > 0 && !stream.eol()) {
    if (stream.match("/*")) state.comments++;
    else if (stream.match("*/")) state.comments--;
    else stream.next();
  }
}

function styleOf(word: string): string {
  if (KEYWORDS.has(word)) return "keyword";
  if (TYPES.has(word)) return "typeName";
  return FUNCTIONS.has(word) ? "variableName.function" : "name";
}

export const numscript = StreamLanguage.define<State>({
  name: "numscript",
  startState: () => ({ comments: 0, depth: 0 }),
  token,
  indent: ({ depth }, after, { unit }) =>
    Math.max(0, /^\s*[)\]}]/.test(after) ? depth - 1 : depth) * unit,
  languageData: {
    commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
    closeBrackets: { brackets: ["(", "[", "{", '"'] },
    indentOnInput: /^\s*[)\]}]$/,
  },
});
