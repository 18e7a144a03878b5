import type { Command } from "./command.ts"

type CommandEntry = { readonly summary: string; load(): Promise<Command> }

let teamCommand = (): Promise<Command> => Promise.reject(new Error("the team command was not added"))

/** Adds `aman team`, whose package uses the parts of other commands, so that these cannot import it. */
export function addTeamCommand(load: () => Promise<Command>): void {
  teamCommand = load
}

/** All commands, in the order of the help; only the one that runs is loaded. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  index: {
    summary: "Index a project, or update its index",
    load: async () => (await import("./commands/index.ts")).indexCommand,
  },
  search: {
    summary: "Find code and documentation by name, words or meaning",
    load: async () => (await import("./commands/search.ts")).searchCommand,
  },
  grep: {
    summary: "Find text or a regular expression in the current files, like ripgrep",
    load: async () => (await import("./commands/grep.ts")).grepCommand,
  },
  read: {
    summary: "Print a file of the project, or a range of its lines",
    load: async () => (await import("./commands/code.ts")).readCommand,
  },
  symbol: {
    summary: "Show where a symbol is defined and used, and related symbols",
    load: async () => (await import("./commands/symbol.ts")).symbolCommand,
  },
  log: {
    summary: "Show why code is as it is: commits that changed it, and decisions about it",
    load: async () => (await import("./commands/code.ts")).logCommand,
  },
  context: {
    summary: "Collect the code a task needs, within a token budget",
    load: async () => (await import("./commands/code.ts")).contextCommand,
  },
  map: {
    summary: "Show the structure of a project: entry points, folders, central symbols",
    load: async () => (await import("./commands/code.ts")).mapCommand,
  },
  remember: {
    summary: "Store something for later sessions",
    load: async () => (await import("./commands/memory.ts")).rememberCommand,
  },
  recall: {
    summary: "Find what was remembered, and whether it still holds",
    load: async () => (await import("./commands/memory.ts")).recallCommand,
  },
  memory: {
    summary: "Manage what was remembered: list, change, export, import …",
    load: async () => (await import("./commands/memory.ts")).memoryCommand,
  },
  status: {
    summary: "Show what is indexed and whether anything is wrong",
    load: async () => (await import("./commands/index.ts")).statusCommand,
  },
  serve: {
    summary: "Run the MCP server on stdin and stdout, or over HTTP",
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  ui: {
    summary: "Open a page in the browser: search, code map, index, memory",
    load: async () => (await import("./commands/ui.ts")).uiCommand,
  },
  report: {
    summary: "Show what agents asked, what it cost, and what ripgrep would have cost",
    load: async () => (await import("./commands/report.ts")).reportCommand,
  },
  hook: {
    summary: "Answer the hooks of an agent",
    load: async () => (await import("./commands/hook.ts")).hookCommand,
  },
  grammars: {
    summary: "Add grammars of further languages",
    load: async () => (await import("./commands/grammars.ts")).grammarsCommand,
  },
  clean: {
    summary: "Delete the index of a project",
    load: async () => (await import("./commands/index.ts")).cleanCommand,
  },
  projects: {
    summary: "List the indexed projects, or remove the index of one",
    load: async () => (await import("./commands/index.ts")).projectsCommand,
  },
  repos: {
    summary: "Clone other repositories and keep them searchable",
    load: async () => (await import("./commands/repos.ts")).reposCommand,
  },
  config: {
    summary: "Show and change settings",
    load: async () => (await import("./commands/config.ts")).configCommand,
  },
  doctor: {
    summary: "Check the installation and suggest repairs",
    load: async () => (await import("./commands/doctor.ts")).doctorCommand,
  },
  team: {
    summary: "Share indexes of many repositories in a team, and search them",
    load: () => teamCommand(),
  },
  logs: {
    summary: "Show the logs of servers, syncs and hooks",
    load: async () => (await import("./commands/logs.ts")).logsCommand,
  },
  setup: {
    summary: "Set up agents and editors to use aman, or undo that",
    load: async () => (await import("./commands/setup.ts")).setupCommand,
  },
  help: {
    summary: "Search aman's guides, commands and settings",
    load: async () => (await import("./commands/help.ts")).helpCommand,
  },
  completions: {
    summary: "Print the shell completion script",
    load: async () => (await import("./commands/completions.ts")).completionsCommand,
  },
  man: {
    summary: "Print the manual page",
    load: async () => (await import("./commands/help.ts")).manCommand,
  },
  version: {
    summary: "Print the version",
    load: async () => (await import("./commands/help.ts")).versionCommand,
  },
}

/** Commands that may parse a project because they build or refresh its index. */
export const PARSING: ReadonlySet<string> = new Set([
  "index",
  "search",
  "context",
  "symbol",
  "map",
  "serve",
  "repos",
  "log",
  "report",
  "team",
  "ui",
])
