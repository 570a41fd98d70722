/** A mistake in a text, with its place as offsets. */
export interface Mistake {
  readonly from: number;
  readonly to: number;
  readonly severity: "error" | "warning";
  readonly message: string;
}

/** Something that may stand at the cursor. */
export interface CodeSuggestion {
  readonly label: string;
  /** What it is, in a few words beside the label. */
  readonly detail?: string;
  readonly kind?: "keyword" | "type" | "function" | "variable" | "constant" | "text";
  /** What is written in place of the label. `#{}` marks the places that the person fills in, in order. */
  readonly snippet?: string;
}

/** The question what may stand at a place of a text. */
export interface CompletionQuery {
  readonly text: string;
  readonly position: number;
  /** The line up to the cursor. */
  readonly before: string;
  /** Whether the person has asked for suggestions, instead of typing. */
  readonly isAsked: boolean;
  readonly signal: AbortSignal;
}

export interface Suggestions {
  /** The offset at which the text begins that a suggestion replaces. */
  readonly from: number;
  readonly options: readonly CodeSuggestion[];
  /** What may be typed without a new question: the suggestions are then narrowed down in the editor. */
  readonly validFor?: RegExp;
}

/** Finds the mistakes of a text. It may ask the server; the editor waits until the person stops typing. */
export type Diagnose = (text: string) => Promise<readonly Mistake[]>;
/** Finds what may stand at the cursor; undefined for nothing. */
export type Complete = (query: CompletionQuery) => Promise<Suggestions | undefined>;

export type EditorLanguage = "numscript" | "json" | "yaml";
