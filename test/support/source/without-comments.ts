/** What may stand before a regular expression, and not before a division: a mark, or one of these words. */
const BEFORE_PATTERN =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|throw|yield|await))\s*$/;
const PATTERN = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//y;
const TEXT = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y;
const LINE_COMMENT = /\/\/[^\n]*/y;
const BLOCK_COMMENT = /\/\*[\s\S]*?\*\//y;
/** How much of the code before a slash is looked at, in characters. */
const BEHIND = 40;

/**
 * The code of a TypeScript file without its comments. Texts and patterns stay as they are, so that no mark in them begins a comment; the code in
 * the braces of a template is code.
 *
 *     code ── "…", '…', /…/ ──► kept whole        code ── `…${ ──► code, until the brace that closes it ──► template
 *          └─ a comment ──► left out
 */
export function withoutComments(source: string): string {
  let kept = "";
  let at = 0;
  /** The number of open braces in the code of each open template. */
  const templates: number[] = [];
  const read = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0] ?? "";
  };
  while (at < source.length) {
    const mark = source[at] ?? "";
    const comment = read(LINE_COMMENT) || read(BLOCK_COMMENT);
    if (comment !== "") {
      at += comment.length;
      continue;
    }
    const isPattern = mark === "/" && BEFORE_PATTERN.test(kept.slice(-BEHIND));
    const whole = read(TEXT) || (isPattern ? read(PATTERN) : "");
    if (whole !== "") {
      kept += whole;
      at += whole.length;
      continue;
    }
    kept += mark;
    at += 1;
    const open = templates.at(-1);
    if (mark === "`") ({ kept, at } = readTemplate(source, { kept, at, templates }));
    else if (open === undefined) continue;
    else if (mark === "{") templates[templates.length - 1] = open + 1;
    else if (mark === "}" && open > 0) templates[templates.length - 1] = open - 1;
    else if (mark === "}") {
      templates.pop();
      ({ kept, at } = readTemplate(source, { kept, at, templates }));
    }
  }
  return kept;
}

interface Reading {
  readonly kept: string;
  readonly at: number;
  readonly templates: number[];
}

/** Reads the text of a template, up to its end or to the code in it. */
function readTemplate(source: string, { kept, at, templates }: Reading): Reading {
  TEMPLATE_TEXT.lastIndex = at;
  const text = TEMPLATE_TEXT.exec(source)?.[0] ?? "";
  if (text.endsWith("${")) templates.push(0);
  return { kept: kept + text, at: at + text.length, templates };
}

const TEMPLATE_TEXT = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y;
