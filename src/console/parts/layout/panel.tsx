import { Maximize2, X } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { partWords } from "#console/parts/part-words.ts";

/**
 * The page of an object beside the list in which it was found; on a narrow window, above the list. `Esc` closes it, and the list keeps its
 * place.
 */
export function Panel({
  title,
  onClose,
  onExpand,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  /** Opens the object as a page; absent where it has none. */
  readonly onExpand?: () => void;
  readonly children: ReactNode;
}) {
  const words = partWords();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && !event.defaultPrevented) onClose();
    };
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, [onClose]);
  return (
    <aside
      ref={panel}
      aria-label={title}
      className="w-[30rem] shrink-0 animate-slide overflow-y-auto border-l border-line bg-canvas max-lg:fixed max-lg:inset-y-0 max-lg:right-0 max-lg:z-30 max-lg:shadow-float max-sm:w-full"
    >
      <header className="sticky top-0 z-10 flex h-12 items-center justify-between gap-2 border-b border-line bg-canvas pr-3 pl-6 max-sm:pl-4">
        <h2 className="truncate text-section font-semibold">{title}</h2>
        <div className="flex">
          {onExpand !== undefined && (
            <PanelButton label={words.openPage} onClick={onExpand}>
              <Maximize2 aria-hidden size={14} />
            </PanelButton>
          )}
          <PanelButton label={words.close} onClick={onClose}>
            <X aria-hidden size={16} />
          </PanelButton>
        </div>
      </header>
      <div className="p-6 max-sm:p-4">{children}</div>
    </aside>
  );
}

function PanelButton({
  label,
  onClick,
  children,
}: {
  readonly label: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text pointer-coarse:size-11"
    >
      {children}
    </button>
  );
}
