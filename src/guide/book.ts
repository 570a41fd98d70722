/** What the site is made of, as the build writes it beside `config.ts`. */
export interface Book {
  /** The pages, by the paths of their files below the site's root: `webhooks.md`. */
  readonly pages: Readonly<Record<string, BookPage>>;
  /** Files that pages link to, by their paths in the project, with their paths on the site. */
  readonly files: Readonly<Record<string, string>>;
  readonly sidebar: readonly SidebarGroup[];
}

export interface BookPage {
  /** The path of the page's source in the project: `docs/webhooks.md`. */
  readonly source: string;
  /** Its name in the sidebar. */
  readonly name: string;
}

export interface SidebarGroup {
  readonly text: string;
  readonly items: { readonly text: string; readonly link: string }[];
}
