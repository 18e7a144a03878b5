import type { Setting } from "./setting-form.ts"

/** Settings of the agents' hooks (docs/hooks.md). */
export const HOOK_SETTINGS = {
  "hooks.enabled": {
    form: "switch",
    env: "AMAN_HOOKS",
    value: () => true,
    by: "user",
    help: "Agents' hooks print what aman knows (aman hook --help); false: none prints anything",
  },
  "hooks.session_tokens": {
    form: "whole",
    min: 100,
    max: 2500,
    env: "AMAN_HOOKS_SESSION_TOKENS",
    value: () => 300,
    by: "user",
    help: "Maximum tokens printed when a session begins",
  },
  "hooks.deadline": {
    form: "time",
    min: 20,
    max: 30_000,
    env: "AMAN_HOOKS_DEADLINE",
    value: () => 500,
    by: "user",
    help: "A hook ends at this time; what it has not found after four fifths of it is left out",
  },
} as const satisfies Readonly<Record<string, Setting>>
