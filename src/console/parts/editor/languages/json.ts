import { StreamLanguage } from "@codemirror/language";

interface State {
  depth: number;
}

const TOKENS: readonly (readonly [pattern: RegExp, style: string])[] = [
  [/^"(?:\\.|[^"\\])*"(?=\s*:)/, "propertyName"],
  [/^"(?:\\.|[^"\\])*"?/, "string"],
  [/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/, "number"],
  [/^(?:true|false|null)\b/, "keyword"],
  [/^[,:]/, "punctuation"],
];

export const json = StreamLanguage.define<State>({
  name: "json",
  startState: () => ({ depth: 0 }),
  token: (stream, state) => {
    if (stream.eatSpace()) return null;
    for (const [pattern, style] of TOKENS) if (stream.match(pattern)) return style;
    const character = stream.next() ?? "";
    if ("[{".includes(character)) state.depth++;
    else if ("]}".includes(character)) state.depth = Math.max(0, state.depth - 1);
    else return "invalid";
    return "bracket";
  },
  indent: ({ depth }, after, { unit }) =>
    Math.max(0, /^\s*[\]}]/.test(after) ? depth - 1 : depth) * unit,
  languageData: {
    closeBrackets: { brackets: ["[", "{", '"'] },
    indentOnInput: /^\s*[\]}]$/,
  },
});
