/** The path of the console, below which all its pages are. */
export const CONSOLE_PATH = "/console";
