import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The look of the editor, in the page's colours. */
const LOOK = EditorView.theme({
  "&": {
    color: "var(--color-text)",
    backgroundColor: "transparent",
    fontSize: "var(--text-work)",
    maxHeight: "var(--code-height-max)",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": {
    minHeight: "var(--code-height-min)",
    padding: "8px 0",
    caretColor: "var(--color-text)",
  },
  ".cm-line": { padding: "0 12px 0 6px" },
  ".cm-content ::selection, .cm-content::selection": {
    backgroundColor: "var(--color-code-selection)",
  },
  ".cm-gutters": {
    backgroundColor: "transparent",
    color: "var(--color-faint)",
    border: "none",
    minHeight: "var(--code-height-min)",
  },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.4em", padding: "0 6px 0 8px" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--color-hover)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLineGutter": { color: "var(--color-text)" },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--color-line-strong)",
  },
  "&.cm-focused .cm-nonmatchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--color-bad)",
  },
  ".cm-placeholder": { color: "var(--color-faint)" },
  ".cm-lintRange": { backgroundImage: "none", paddingBottom: "1px" },
  ".cm-lintRange-error": { textDecoration: "underline wavy var(--color-bad) 1px" },
  ".cm-lintRange-warning": { textDecoration: "underline wavy var(--color-warn) 1px" },
  ".cm-lintRange-active": { backgroundColor: "var(--color-bad-soft)" },
  ".cm-lintPoint-error:after": { borderBottomColor: "var(--color-bad)" },
  ".cm-lintPoint-warning:after": { borderBottomColor: "var(--color-warn)" },
});

/** The look of what floats above the text. */
const FLOATS = EditorView.theme({
  ".cm-tooltip": {
    backgroundColor: "var(--color-raised)",
    color: "var(--color-text)",
    border: "none",
    borderRadius: "8px",
    boxShadow: "var(--shadow-float)",
    overflow: "hidden",
    zIndex: "60",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--font-mono)",
    fontSize: "var(--text-note)",
    maxHeight: "15em",
    padding: "4px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    padding: "3px 8px",
    borderRadius: "4px",
    lineHeight: "1.5",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--color-accent-soft)",
    color: "var(--color-text)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--color-accent)" },
  ".cm-completionDetail": {
    color: "var(--color-muted)",
    fontStyle: "normal",
    fontFamily: "var(--font-sans)",
    marginLeft: "1em",
  },
  ".cm-diagnostic": {
    fontFamily: "var(--font-sans)",
    fontSize: "var(--text-work)",
    padding: "6px 10px",
    maxWidth: "26rem",
    whiteSpace: "pre-wrap",
  },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--color-bad)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--color-warn)" },
  ".cm-snippetField": { backgroundColor: "var(--color-accent-soft)" },
});

const COLORS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--color-accent)", fontWeight: "500" },
  { tag: [tags.typeName, tags.function(tags.variableName)], color: "var(--color-accent)" },
  { tag: [tags.labelName, tags.propertyName], color: "var(--color-code-name)" },
  { tag: tags.variableName, color: "var(--color-code-variable)" },
  { tag: [tags.number, tags.unit, tags.string], color: "var(--color-code-value)" },
  { tag: tags.comment, color: "var(--color-faint)", fontStyle: "italic" },
  { tag: [tags.operator, tags.punctuation, tags.bracket], color: "var(--color-muted)" },
  { tag: tags.invalid, color: "var(--color-bad)" },
]);

export const THEME = [LOOK, FLOATS, syntaxHighlighting(COLORS)];
