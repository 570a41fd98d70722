import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { workflowWords } from "./words.ts";

/** The way back to the list of workflows. */
export const workflowsCrumb = () => ({
  text: workflowWords().title,
  link: (text: ReactNode) => <Link to="/workflows">{text}</Link>,
});

/** The way back to the list of instances. */
export const instancesCrumb = () => ({
  text: workflowWords().instances,
  link: (text: ReactNode) => <Link to="/workflows/instances">{text}</Link>,
});

/** The way back to the list of triggers. */
export const triggersCrumb = () => ({
  text: workflowWords().triggers,
  link: (text: ReactNode) => <Link to="/workflows/triggers">{text}</Link>,
});
