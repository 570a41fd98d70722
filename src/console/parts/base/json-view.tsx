import { Fragment, type ReactNode } from "react";
import { Breakable } from "./address.tsx";
import { CopyButton } from "./copy.tsx";
import { visible } from "#console/parts/language/visible.ts";
import { partWords } from "#console/parts/part-words.ts";
import { stringifyJson } from "#platform/json.ts";

/** A value as JSON, with exact numbers, to read and to copy. */
export const JsonView = ({ value }: { readonly value: unknown }) => (
  <TextView text={stringifyJson(value, { indent: 2 })} what={partWords().json} />
);

/** A text of several lines, to read and to copy. `what` names it for screen readers. */
export function TextView({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <div className="relative rounded-md bg-sunken">
      <pre
        tabIndex={0} // oxlint-disable-line jsx-a11y/no-noninteractive-tabindex -- Keys scroll a long value.
        className="foreign max-h-96 overflow-auto p-3 pr-10 font-mono text-note whitespace-pre-wrap"
      >
        <QuotedTexts text={visible(text)} />
      </pre>
      <span className="absolute top-1.5 right-1.5 rounded-md bg-sunken">
        <CopyButton value={text} what={what} />
      </span>
    </div>
  );
}

/** A text in quotes as in JSON and in code. */
const QUOTED = /("(?:[^"\\\n]|\\.)*")/u;

/** A text of several lines in which each quoted text keeps its direction to itself. */
const QuotedTexts = ({ text }: { readonly text: string }): ReactNode =>
  text.split(QUOTED).map((part, place) => {
    const Part = place % 2 === 0 ? Fragment : "bdi";
    return (
      // oxlint-disable-next-line react/no-array-index-key -- A part is its place.
      <Part key={place}>
        <Breakable text={part} />
      </Part>
    );
  });
