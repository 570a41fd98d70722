import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
  snippetCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic, forceLinting, linter, lintKeymap } from "@codemirror/lint";
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  Prec,
  StateEffect,
} from "@codemirror/state";
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder as placeholderText,
} from "@codemirror/view";
import { LANGUAGES } from "./languages/index.ts";
import { THEME } from "./theme.ts";
import type { EditorLanguage, Complete, Diagnose, CodeSuggestion } from "./types.ts";

/** Time without a key after which the text is checked, in milliseconds. */
const CHECK_AFTER_MS = 250;
/** Most texts that are remembered until the page gives them back. */
const TOLD_MAX = 20;

/** What the editor asks of the page, and tells it. What is absent is not offered. */
export interface EditorHost {
  readonly onChange?: (text: string) => void;
  readonly onSubmit?: () => void;
  readonly diagnostics?: Diagnose;
  readonly completions?: Complete;
}

interface EditorStart {
  readonly value: string;
  readonly language: EditorLanguage | undefined;
  /** Gives the page as it is now. */
  readonly ask: () => EditorHost;
}

/** What the page may change. */
interface EditorOptions {
  readonly label: string;
  /** How the keyboard leaves the editor, for screen readers. */
  readonly description: string;
  readonly placeholder: string;
  readonly isReadOnly: boolean;
}

/**
 * An editor in a shadow root, whose style sheets are adopted: the policy of the page allows no style element, which the editor would make in
 * the document.
 */
export class Editor {
  readonly #view: EditorView;
  /** Texts that the page was told and has not given back. */
  #told: string[] = [];
  readonly #changeable = new Compartment();

  constructor(element: HTMLElement, { value, language, ask }: EditorStart) {
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const submit = (): boolean => {
      const { onSubmit } = ask();
      onSubmit?.();
      return onSubmit !== undefined;
    };
    this.#view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: value,
        extensions: [
          ...EDITING,
          language === undefined ? [] : LANGUAGES[language],
          Prec.highest(keymap.of([{ key: "Mod-Enter", run: submit }])),
          linter((view) => mistakesIn(view, ask()), {
            delay: CHECK_AFTER_MS,
            needsRefresh: ({ transactions }) =>
              transactions.some(({ effects }) => effects.some((effect) => effect.is(recheck))),
          }),
          autocompletion({ override: [(context) => suggestionsAt(context, ask())], icons: false }),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            if (!docChanged || transactions.some((change) => change.annotation(fromPage) === true))
              return;
            const text = state.doc.toString();
            this.#told = [...this.#told.slice(-TOLD_MAX), text];
            ask().onChange?.(text);
          }),
          this.#changeable.of([]),
        ],
      }),
    });
  }

  /** Shows a text of the page. A text that comes back from the page, while the person has typed on, changes nothing. */
  setValue(value: string): void {
    const place = this.#told.indexOf(value);
    if (place !== -1) {
      this.#told.splice(0, place + 1);
      return;
    }
    this.#told = [];
    const insert = value.replaceAll(/\r\n?/g, "\n");
    const { doc } = this.#view.state;
    if (doc.length === insert.length && doc.toString() === insert) return;
    this.#view.dispatch({
      changes: { from: 0, to: doc.length, insert },
      annotations: fromPage.of(true),
    });
  }

  configure(options: EditorOptions): void {
    this.#view.dispatch({ effects: this.#changeable.reconfigure(changeable(options)) });
  }

  /** Checks the text again, because what it is checked against has changed. */
  check(): void {
    this.#view.dispatch({ effects: recheck.of(null) });
    forceLinting(this.#view);
  }

  focus(): void {
    this.#view.focus();
  }

  /** Moves the cursor to a place, and shows it. */
  select(from: number, to: number): void {
    const { length } = this.#view.state.doc;
    this.#view.dispatch({
      selection: { anchor: Math.min(from, length), head: Math.min(to, length) },
      scrollIntoView: true,
    });
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
  }
}

/** Asks for a check of an unchanged text. */
const recheck = StateEffect.define();

/** Marks a change that the page has made, which the page need not be told. */
const fromPage = Annotation.define<boolean>();

/**
 * Types over a selection in place of the browser, which would give the new text the style of the old one as an attribute. The policy of the
 * page forbids such attributes.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data, isComposing }, view) => {
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== "insertText" || data === null || isComposing || empty) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), {
        userEvent: "input.type",
        scrollIntoView: true,
      });
    const isHandled = view.state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, from, to, data, insert));
    if (!isHandled) view.dispatch(insert());
    return true;
  },
});

const EDITING: readonly Extension[] = [
  lineNumbers(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  history(),
  indentUnit.of("  "),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  EditorView.lineWrapping,
  typeOverSelection,
  // Escape and then Tab leaves the editor; the view sees to it.
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...lintKeymap,
    ...historyKeymap,
    ...defaultKeymap,
    indentWithTab,
  ]),
  ...THEME,
];

const changeable = ({ label, description, placeholder, isReadOnly }: EditorOptions): Extension => [
  placeholderText(placeholder),
  EditorState.readOnly.of(isReadOnly),
  EditorView.contentAttributes.of({
    "aria-label": label,
    ...(isReadOnly ? { "aria-readonly": "true" } : { "aria-description": description }),
  }),
];

/** The mistakes of the text as it is now. What cannot be checked, for example without a connection, shows none. */
async function mistakesIn(view: EditorView, host: EditorHost): Promise<readonly Diagnostic[]> {
  const { doc } = view.state;
  const mistakes = (await host.diagnostics?.(doc.toString()).catch(() => [])) ?? [];
  return mistakes.map(({ from, to, severity, message }) => ({
    from: Math.min(from, doc.length),
    to: Math.min(to, doc.length),
    severity,
    message,
  }));
}

async function suggestionsAt(
  context: CompletionContext,
  host: EditorHost,
): Promise<CompletionResult | null> {
  const { state, pos, explicit } = context;
  const line = state.doc.lineAt(pos);
  const aborter = new AbortController();
  context.addEventListener("abort", () => aborter.abort(), { onDocChange: true });
  const found = await host
    .completions?.({
      text: state.doc.toString(),
      position: pos,
      before: line.text.slice(0, pos - line.from),
      isAsked: explicit,
      signal: aborter.signal,
    })
    .catch(() => undefined);
  if (found === undefined || found.options.length === 0) return null;
  const { from, options, validFor } = found;
  return {
    from,
    options: options.map(toCompletion),
    ...(validFor === undefined ? {} : { validFor }),
  };
}

function toCompletion({ label, detail, kind, snippet }: CodeSuggestion) {
  const completion = {
    label,
    ...(detail === undefined ? {} : { detail }),
    ...(kind === undefined ? {} : { type: kind }),
  };
  return snippet === undefined ? completion : snippetCompletion(snippet, completion);
}
