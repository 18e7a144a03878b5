import type { Command } from "./command.ts"

type Entry = { readonly summary: string; load(): Promise<Command> }

/** All commands, in the order of the help; only the one that runs is loaded. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  index: {
    summary: "Index a project, or bring its index up to date",
    load: async () => (await import("./commands/index.ts")).indexCommand,
  },
  search: {
    summary: "Find code and documentation by name, words or meaning",
    load: async () => (await import("./commands/search.ts")).searchCommand,
  },
  grep: {
    summary: "Find text or a regular expression in the files as they are, as ripgrep does",
    load: async () => (await import("./commands/grep.ts")).grepCommand,
  },
  read: {
    summary: "Print a file of the project, or some of its lines",
    load: async () => (await import("./commands/read.ts")).readCommand,
  },
  symbol: {
    summary: "Show where a symbol is defined and used, and what hangs together with it",
    load: async () => (await import("./commands/symbol.ts")).symbolCommand,
  },
  context: {
    summary: "Prepare an agent for a task: the code it needs, within a budget of tokens",
    load: async () => (await import("./commands/context.ts")).contextCommand,
  },
  map: {
    summary: "Show what is where in a project: entry points, folders, central symbols",
    load: async () => (await import("./commands/map.ts")).mapCommand,
  },
  remember: {
    summary: "Keep what was learned for every later session",
    load: async () => (await import("./commands/remember.ts")).rememberCommand,
  },
  recall: {
    summary: "Find what was remembered, and whether it is still true",
    load: async () => (await import("./commands/recall.ts")).recallCommand,
  },
  memory: {
    summary: "Look after what was remembered: list, change, export, import …",
    load: async () => (await import("./commands/memory.ts")).memoryCommand,
  },
  status: {
    summary: "Show what is indexed, and whether all is well",
    load: async () => (await import("./commands/status.ts")).statusCommand,
  },
  serve: {
    summary: "Serve the project to an agent: MCP over stdin and stdout",
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  hook: {
    summary: "Tell an agent what is known, when it calls: the commands of its hooks",
    load: async () => (await import("./commands/hook.ts")).hookCommand,
  },
  clean: {
    summary: "Delete the index of a project",
    load: async () => (await import("./commands/clean.ts")).cleanCommand,
  },
  projects: {
    summary: "List the projects that are indexed, or forget one",
    load: async () => (await import("./commands/projects.ts")).projectsCommand,
  },
  repos: {
    summary: "Clone other repositories, and keep them searchable",
    load: async () => (await import("./commands/repos.ts")).reposCommand,
  },
  config: {
    summary: "Show and change settings",
    load: async () => (await import("./commands/config.ts")).configCommand,
  },
  doctor: {
    summary: "Check that all is well here, and say what to do where it is not",
    load: async () => (await import("./commands/doctor.ts")).doctorCommand,
  },
  logs: {
    summary: "Show what servers, syncs and hooks did",
    load: async () => (await import("./commands/logs.ts")).logsCommand,
  },
  setup: {
    summary: "Set up agents and editors to use aman, or take it out of them",
    load: async () => (await import("./commands/setup.ts")).setupCommand,
  },
  completions: {
    summary: "Print what a shell needs to complete aman's commands and flags",
    load: async () => (await import("./commands/completions.ts")).completionsCommand,
  },
  man: {
    summary: "Print the manual page",
    load: async () => (await import("./commands/man.ts")).manCommand,
  },
  version: {
    summary: "Print the version",
    load: async () => (await import("./commands/version.ts")).versionCommand,
  },
}
