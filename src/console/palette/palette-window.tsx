import { Dialog } from "@base-ui/react/dialog";
import { Command } from "cmdk";
import { Search } from "lucide-react";
import { useState } from "react";
import type { Hit } from "./hits.ts";
import { actionsWith, hasText, pagesWith, withKind } from "./pages.ts";
import { recentHits, remember } from "./recent.ts";
import { useSearch } from "./use-search.ts";
import { paletteWords } from "./words.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { useGo } from "#console/parts/routing/path-link.tsx";

/** Pages and actions that are offered beside objects. */
const OFFERED_MAX = 4;

/** The window in which everything is found. */
export const PaletteWindow = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog.Root open onOpenChange={onClose}>
    <Dialog.Portal>
      <Dialog.Backdrop className="fixed inset-0 z-40 animate-appear bg-shade" />
      <Dialog.Popup className="fixed top-[12dvh] left-1/2 z-50 flex max-h-[70dvh] w-[40rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 animate-appear flex-col overflow-hidden rounded-xl bg-raised shadow-float outline-none">
        <PaletteContent onClose={onClose} />
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);

/** The input of the search, and what it finds. Arrows choose, Enter opens. */
function PaletteContent({ onClose }: { readonly onClose: () => void }) {
  const words = paletteWords();
  const go = useGo();
  const [typed, setTyped] = useState("");
  const [recent] = useState(() => recentHits().map(withKind));
  const text = typed.trim();
  const { groups, failed, isSearching } = useSearch(text);
  const open = (hit: Hit): void => {
    onClose();
    go(hit.path);
  };
  const openObject = (hit: Hit): void => {
    remember(hit);
    open(hit);
  };
  const offered = text === "" ? Number.POSITIVE_INFINITY : OFFERED_MAX;
  const known = recent.filter((hit) => hasText(hit, text));
  const pages = pagesWith(text).slice(0, offered);
  const actions = actionsWith(text).slice(0, offered);
  const isEmpty = [known, pages, actions, groups].every(({ length }) => length === 0);
  return (
    <Command label={words.title} shouldFilter={false} loop className="flex min-h-0 flex-col">
      <Dialog.Title className="sr-only">{words.title}</Dialog.Title>
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search aria-hidden size={16} className="shrink-0 text-faint" />
        <Command.Input
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- The window is there to type.
          autoFocus
          value={typed}
          onValueChange={setTyped}
          aria-label={words.title}
          placeholder={words.placeholder}
          className="h-12 w-full bg-transparent text-section outline-none placeholder:text-faint"
        />
      </div>
      <Command.List label={words.title} className="min-h-0 overflow-y-auto p-2">
        <Group id="recent" title={words.recent} hits={known} onOpen={openObject} />
        {groups.map(({ kind, hits }) => (
          <Group key={kind} id={kind} title={words.kind[kind]} hits={hits} onOpen={openObject} />
        ))}
        <Group id="page" title={words.pages} hits={pages} onOpen={open} />
        <Group id="action" title={words.actions} hits={actions} onOpen={open} />
      </Command.List>
      <p role="status" className="px-4 pb-3 text-note text-muted empty:hidden">
        {statusOf({ isSearching, isEmpty, failed: failed.map((kind) => words.kind[kind]) })}
      </p>
    </Command>
  );
}

function statusOf({
  isSearching,
  isEmpty,
  failed,
}: {
  readonly isSearching: boolean;
  readonly isEmpty: boolean;
  readonly failed: readonly string[];
}): string {
  const words = paletteWords();
  if (isSearching) return `${words.searching}…`;
  if (failed.length > 0) return words.failed(failed.join(", "));
  return isEmpty ? words.nothing : "";
}

function Group({
  id,
  title,
  hits,
  onOpen,
}: {
  readonly id: string;
  readonly title: string;
  readonly hits: readonly Hit[];
  readonly onOpen: (hit: Hit) => void;
}) {
  if (hits.length === 0) return null;
  return (
    <Command.Group
      heading={title}
      className="mb-1 [&>[cmdk-group-heading]]:px-2 [&>[cmdk-group-heading]]:pt-2 [&>[cmdk-group-heading]]:pb-1 [&>[cmdk-group-heading]]:text-note [&>[cmdk-group-heading]]:text-muted"
    >
      {hits.map((hit) => (
        <Command.Item
          key={hit.path + hit.title}
          value={`${id} ${hit.path} ${hit.title}`}
          onSelect={() => onOpen(hit)}
          className="flex h-8 cursor-pointer items-center justify-between gap-4 rounded-md px-2 data-[selected=true]:bg-accent-soft pointer-coarse:h-11"
        >
          <span className="min-w-0 truncate">
            <Foreign>{hit.title}</Foreign>
          </span>
          {hit.note !== undefined && (
            <span className="max-w-[50%] shrink-0 truncate text-note text-muted">
              <Foreign>{hit.note}</Foreign>
            </span>
          )}
        </Command.Item>
      ))}
    </Command.Group>
  );
}
