import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { partWords } from "#console/parts/part-words.ts";

/** The window of a dialog, inside a `Dialog.Root`. */
export function DialogFrame({
  title,
  isWide = false,
  children,
}: {
  readonly title: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Portal>
      <Dialog.Backdrop className="fixed inset-0 z-40 animate-appear bg-shade" />
      <Dialog.Popup
        ref={popup}
        initialFocus={(openedBy) => placeOfFocus(popup.current, openedBy)}
        className={`fixed top-1/2 left-1/2 z-50 max-h-[90dvh] ${isWide ? "w-[44rem]" : "w-[28rem]"} max-w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 animate-appear overflow-y-auto rounded-xl bg-raised p-6 shadow-float outline-none`}
      >
        <div className="mb-4 flex items-center justify-between">
          <Dialog.Title className="text-section font-semibold">{title}</Dialog.Title>
          <Dialog.Close
            aria-label={partWords().close}
            className="flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
          >
            <X aria-hidden size={16} />
          </Dialog.Close>
        </div>
        {children}
      </Dialog.Popup>
    </Dialog.Portal>
  );
}

/** The first input, or else the window itself; always the window on a touch screen, whose keyboard would cover it. */
function placeOfFocus(popup: HTMLElement | null, openedBy: string): HTMLElement | null {
  if (openedBy === "touch") return popup;
  return popup?.querySelector<HTMLElement>(INPUTS) ?? popup;
}

const INPUTS = "input:not([type=hidden], [aria-hidden=true]), select, textarea";
