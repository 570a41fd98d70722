import { Autocomplete } from "@base-ui/react/autocomplete";
import { ListFilter } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { type FilterField, type Suggestion, suggestionsFor } from "./filter-text.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { partWords } from "#console/parts/part-words.ts";

interface FilterInputProps {
  readonly fields: readonly FilterField[];
  readonly onApply: (id: string, value: string) => void;
}

/** The input of new filters. A chosen field goes on with its values; a chosen or typed value applies the filter. */
export function FilterInput({ fields, onApply }: FilterInputProps) {
  const words = partWords().filter;
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const suggestions = suggestionsFor(text, fields);
  const take = (suggestion: Suggestion): void => {
    const isWhole = suggestion.kind === "value";
    if (isWhole) onApply(suggestion.field.id, suggestion.value);
    setText(isWhole ? "" : suggestion.text);
    setOpen(!isWhole);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === "Escape") event.currentTarget.blur();
    const [first] = suggestions;
    if (event.key === "Enter" && first?.kind === "value" && first.text === text.trim()) take(first);
  };
  return (
    <Autocomplete.Root
      items={suggestions}
      value={text}
      onValueChange={(value, { reason }) => {
        if (reason !== "item-press") setText(value);
      }}
      open={isOpen && suggestions.length > 0}
      onOpenChange={setOpen}
      filter={null}
      openOnInputClick
      autoHighlight
      itemToStringValue={(suggestion) => suggestion.text}
    >
      <label className="inline-flex h-7 items-center first:-ml-2 gap-1.5 rounded-md px-2 text-muted focus-within:bg-sunken hover:bg-hover pointer-coarse:h-11">
        <ListFilter aria-hidden size={14} />
        <Autocomplete.Input
          data-filter=""
          aria-label={words.add}
          placeholder={words.add}
          onKeyDown={onKeyDown}
          className="w-14 bg-transparent text-text outline-none placeholder:text-muted focus:w-56"
        />
      </label>
      <Suggestions onTake={take} />
    </Autocomplete.Root>
  );
}

const Suggestions = ({ onTake }: { readonly onTake: (suggestion: Suggestion) => void }) => (
  <Autocomplete.Portal>
    <Autocomplete.Positioner sideOffset={6} align="start" className="z-50 outline-none">
      <Autocomplete.Popup className="max-h-80 w-72 max-w-[var(--available-width)] animate-appear overflow-y-auto rounded-lg bg-raised p-1 shadow-float">
        <Autocomplete.List>
          {(suggestion: Suggestion) => (
            <Autocomplete.Item
              key={suggestion.text}
              value={suggestion}
              onClick={() => onTake(suggestion)}
              className="flex h-8 cursor-pointer items-center justify-between gap-3 rounded-md px-2 outline-none data-highlighted:bg-hover pointer-coarse:h-11"
            >
              <SuggestionText suggestion={suggestion} />
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Popup>
    </Autocomplete.Positioner>
  </Autocomplete.Portal>
);

function SuggestionText({ suggestion }: { readonly suggestion: Suggestion }) {
  const { kind, field } = suggestion;
  return (
    <>
      <span className="truncate">
        {kind === "field" ? field.label : <Foreign>{suggestion.label}</Foreign>}
      </span>
      <span className="truncate font-mono text-note text-faint">
        {kind === "field" ? field.example : field.label}
      </span>
    </>
  );
}
