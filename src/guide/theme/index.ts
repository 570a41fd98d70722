import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { type FunctionalComponent, h } from "vue";
import "./style.css";

/** A link to another site of the same server, which the router of the guide leaves alone. */
const ServerLink: FunctionalComponent<{ text: string; href: string }> = ({ text, href }) =>
  h("a", { class: "server-link", href, target: "_self" }, text);
ServerLink.props = ["text", "href"];

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component("ServerLink", ServerLink),
};

export default theme;
