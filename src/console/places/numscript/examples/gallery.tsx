import { type Example, EXAMPLES } from "./examples.ts";
import { numscriptWords } from "#console/places/numscript/words.ts";

/** The worked examples. A choice goes into the editor, and nothing else happens. */
export function Gallery({ onChoose }: { readonly onChoose: (example: Example) => void }) {
  const words = numscriptWords().examples;
  const names: Readonly<Record<string, readonly string[]>> = words.names;
  return (
    <section aria-labelledby="numscript-examples">
      <h2 id="numscript-examples" className="text-section font-semibold">
        {words.title}
      </h2>
      <p className="mb-3 text-muted">{words.note}</p>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-2">
        {EXAMPLES.map((example) => {
          const [title = "", note = ""] = names[example.id] ?? [];
          return (
            <li key={example.id} className="flex">
              <button
                type="button"
                onClick={() => onChoose(example)}
                className="flex w-full flex-col rounded-md border border-line px-3 py-2 text-left hover:border-line-strong hover:bg-hover"
              >
                <span className="block font-medium">{title}</span>
                <span className="block text-note text-muted">{note}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
