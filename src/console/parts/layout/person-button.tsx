import { ChevronsUpDown } from "lucide-react";
import { type ComponentType, useState } from "react";
import type { PersonMenuProps } from "./person-menu.tsx";
import { partWords } from "#console/parts/part-words.ts";
import { useSignedIn } from "#console/parts/principals/signed-in.ts";

const loadMenu = async () => (await import("./person-menu.tsx")).PersonMenu;

/** Who is signed in, and the way to the menu of the person. The menu is loaded when somebody reaches for it, because few do. */
export function PersonButton() {
  const name = usePersonName();
  const [Menu, setMenu] = useState<ComponentType<PersonMenuProps>>();
  const face = (
    <>
      <span className="truncate">{name}</span>
      <ChevronsUpDown aria-hidden size={14} className="shrink-0 text-faint" />
    </>
  );
  if (Menu !== undefined) return <Menu button={BUTTON_CLASS} face={face} />;
  // A menu that could not be loaded is asked for again by the next click.
  const open = (): Promise<void> =>
    loadMenu()
      .then((menu) => setMenu(() => menu))
      .catch(() => undefined);
  const prepare = (): void => void loadMenu().catch(() => undefined);
  return (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded={false}
      className={BUTTON_CLASS}
      onPointerEnter={prepare}
      onFocus={prepare}
      onClick={() => void open()}
    >
      {face}
    </button>
  );
}

const BUTTON_CLASS =
  "flex h-9 w-full items-center justify-between gap-2 rounded-md px-2 text-left hover:bg-hover pointer-coarse:h-11";

/** The name of the person, or what stands for it. */
function usePersonName(): string {
  const person = useSignedIn();
  if (person === undefined) return "Florin";
  return person.claims?.name ?? person.claims?.email ?? partWords().account.title;
}
