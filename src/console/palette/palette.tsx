import { type ComponentType, useEffect, useEffectEvent, useState } from "react";
import { paletteWords } from "./words.ts";

interface WindowProps {
  readonly onClose: () => void;
}

async function loadWindow(): Promise<ComponentType<WindowProps>> {
  const [{ PaletteWindow }] = await Promise.all([
    import("./palette-window.tsx"),
    paletteWords.load(),
  ]);
  return PaletteWindow;
}

/** Time after which the search is loaded although nobody has asked for it, so that it takes what is typed at once. */
const LOAD_AFTER_MS = 1500;

/**
 * The search over everything, while it is open. The search and its library are loaded after the page, and not by `lazy`: React would show
 * the search 300 ms after the key, even if it has been loaded.
 */
export function Palette({ isOpen, onClose }: WindowProps & { readonly isOpen: boolean }) {
  const [Window, setWindow] = useState<ComponentType<WindowProps>>();
  const giveUp = useEffectEvent(onClose); // The next key asks for the window again.
  useEffect(() => {
    if (Window !== undefined) return undefined;
    const load = (): void =>
      void loadWindow()
        .then((loaded) => setWindow(() => loaded))
        .catch(() => giveUp());
    const timer = setTimeout(load, isOpen ? 0 : LOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isOpen, Window]);
  return isOpen && Window !== undefined && <Window onClose={onClose} />;
}
