import { visible } from "./address.tsx";
import { CopyButton } from "./copy.tsx";
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
        {visible(text)}
      </pre>
      <span className="absolute top-1.5 right-1.5">
        <CopyButton value={text} what={what} />
      </span>
    </div>
  );
}
