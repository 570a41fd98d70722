/** A Markdown file, imported as its text. */
declare module "*.md" {
  const text: string;
  export default text;
}
