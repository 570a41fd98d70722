import { type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import type { Editor } from "./editor.ts";
import type { EditorLanguage, Complete, Diagnose } from "./types.ts";
import { partWords } from "#console/parts/part-words.ts";

/** What a page may ask of an editor. */
export interface CodeEditorHandle {
  readonly focus: () => void;
  /** Selects a part of the text, and shows it. */
  readonly select: (from: number, to: number) => void;
  /** Checks the text again, because what it is checked against has changed. */
  readonly check: () => void;
}

interface CodeEditorProps {
  readonly value: string;
  /** Absent for a text that is only read. */
  readonly onChange?: (value: string) => void;
  /** What the text is, for screen readers. */
  readonly label: string;
  readonly language?: EditorLanguage;
  /** Finds mistakes, which are underlined. */
  readonly diagnostics?: Diagnose;
  readonly completions?: Complete;
  /** What ⌘Enter and Ctrl+Enter do. */
  readonly onSubmit?: () => void;
  readonly isReadOnly?: boolean;
  readonly placeholder?: string;
  readonly minLines?: number;
  /** The lines after which the text scrolls. */
  readonly maxLines?: number;
  readonly ref?: Ref<CodeEditorHandle>;
}

const LINE_REM = 1.3;
const PADDING_REM = 1;

/** A text in a language of programs. The editor's code is loaded after the page is shown; until then, the text can be read. */
export function CodeEditor({ ref, ...props }: CodeEditorProps) {
  const { value, label, minLines = 4, maxLines = 32, onChange } = props;
  const element = useRef<HTMLDivElement>(null);
  const { editor, hasFailed } = useEditor(element, props);
  useImperativeHandle(
    ref,
    () => ({
      focus: () => editor?.focus(),
      select: (from, to) => editor?.select(from, to),
      check: () => editor?.check(),
    }),
    [editor],
  );
  const heights = {
    "--code-height-min": `${minLines * LINE_REM + PADDING_REM}rem`,
    "--code-height-max": `${maxLines * LINE_REM + PADDING_REM}rem`,
  };
  const isReadOnly = isFixed(props);
  return (
    <div className="group/code min-w-0">
      <div
        className="overflow-hidden rounded-md border border-line-strong bg-canvas focus-within:outline-2 focus-within:outline-accent"
        style={heights as object} // React knows no types of custom properties.
      >
        <div ref={element} hidden={editor === undefined} />
        {editor === undefined && (
          <textarea
            aria-label={label}
            aria-busy={!hasFailed}
            readOnly={isReadOnly || !hasFailed}
            spellCheck={false}
            value={value}
            onChange={({ target }) => onChange?.(target.value)}
            className="block min-h-(--code-height-min) w-full resize-none px-3 py-2 pl-[2.9em] font-mono text-work leading-[1.6]"
          />
        )}
      </div>
      {!isReadOnly && (
        <p className="mt-1 h-4 text-note text-faint opacity-0 group-focus-within/code:opacity-100 pointer-coarse:hidden">
          {partWords().editor.leave}
        </p>
      )}
    </div>
  );
}

type Inputs = Omit<CodeEditorProps, "ref">;

const isFixed = ({ isReadOnly, onChange }: Inputs): boolean => isReadOnly ?? onChange === undefined;

/** The editor in an element, once its code is loaded. It asks the newest props of the page. */
function useEditor(element: { readonly current: HTMLDivElement | null }, props: Inputs) {
  const [editor, setEditor] = useState<Editor>();
  const [hasFailed, setFailed] = useState(false);
  const newest = useRef(props);
  useEffect(() => {
    newest.current = props;
  });
  const { language, value, label, placeholder = "" } = props;
  const isReadOnly = isFixed(props);
  useEffect(() => {
    let made: Editor | undefined;
    let isGone = false;
    const mount = async (): Promise<void> => {
      const { Editor: Loaded } = await import("./editor.ts");
      const { current } = element;
      if (isGone || current === null) return;
      const { value: text } = newest.current;
      made = new Loaded(current, { value: text, language, ask: () => newest.current });
      setEditor(made);
    };
    mount().catch(() => setFailed(true));
    return () => {
      isGone = true;
      made?.destroy();
      setEditor(undefined);
    };
  }, [element, language]);
  useEffect(() => {
    const description = partWords().editor.leave;
    editor?.configure({ label, placeholder, isReadOnly, description });
  }, [editor, label, placeholder, isReadOnly]);
  useEffect(() => editor?.setValue(value), [editor, value]);
  return { editor, hasFailed };
}
