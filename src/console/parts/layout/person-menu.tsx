import { Menu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import { type ReactNode, useState, useSyncExternalStore } from "react";
import { chooseScheme, chosenScheme, type Scheme } from "./scheme.ts";
import { session } from "#console/api/florin.ts";
import { chooseLanguage, type Language, language } from "#console/parts/language/words.ts";
import { partWords } from "#console/parts/part-words.ts";

const LANGUAGES: readonly (readonly [Language, string])[] = [
  ["en", "English"],
  ["de", "Deutsch"],
];

export interface PersonMenuProps {
  /** The class and the content of the button that opens the menu. */
  readonly button: string;
  readonly face: ReactNode;
}

/** What belongs to the person and browser: theme, language, sign-out. The menu is open when it appears. */
export function PersonMenu({ button, face }: PersonMenuProps) {
  const words = partWords().account;
  const state = useSyncExternalStore(session.subscribe, () => session.state);
  const [scheme, setScheme] = useState(chosenScheme);
  const choose = (next: Scheme): void => {
    chooseScheme(next);
    setScheme(next);
  };
  const schemes: readonly (readonly [Scheme, string])[] = [
    ["system", words.system],
    ["light", words.light],
    ["dark", words.dark],
  ];
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger className={button}>{face}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="start" className="z-50 outline-none">
          <Menu.Popup className="w-56 animate-appear rounded-lg bg-raised p-1 shadow-float outline-none">
            <Menu.RadioGroup value={scheme} onValueChange={(value) => choose(value as Scheme)}>
              <MenuLabel>{words.theme}</MenuLabel>
              {schemes.map(([value, label]) => (
                <MenuRadio key={value} value={value} label={label} />
              ))}
            </Menu.RadioGroup>
            <Menu.RadioGroup
              value={language}
              onValueChange={(value) => chooseLanguage(value as Language)}
            >
              <MenuLabel>{words.language}</MenuLabel>
              {LANGUAGES.map(([value, label]) => (
                <MenuRadio key={value} value={value} label={label} />
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="my-1 border-t border-line" />
            <Menu.LinkItem href="/docs" className={ITEM_CLASS}>
              {words.apiReference}
            </Menu.LinkItem>
            {state.kind === "person" && (
              <>
                <Menu.LinkItem href="/api/auth/account" className={ITEM_CLASS}>
                  {words.security}
                </Menu.LinkItem>
                <Menu.Item onClick={() => void session.signOut()} className={ITEM_CLASS}>
                  {words.signOut}
                </Menu.Item>
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

const ITEM_CLASS =
  "flex h-8 items-center justify-between rounded-md px-2 outline-none data-highlighted:bg-hover pointer-coarse:h-11";

const MenuLabel = ({ children }: { readonly children: ReactNode }) => (
  <Menu.GroupLabel className="px-2 pt-2 pb-1 text-note text-muted">{children}</Menu.GroupLabel>
);

const MenuRadio = ({ value, label }: { readonly value: string; readonly label: string }) => (
  <Menu.RadioItem value={value} className={ITEM_CLASS}>
    {label}
    <Menu.RadioItemIndicator>
      <Check aria-hidden size={14} />
    </Menu.RadioItemIndicator>
  </Menu.RadioItem>
);
