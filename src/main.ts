import { writeSync } from "node:fs"
import { loadMapData, loadPageFiles, loadServeUi } from "../packages/page/index.ts"
import { loadTeamCommand } from "../packages/team/index.ts"
import {
  commit,
  isTerminal,
  loadAbortOnSignals,
  mayReportCrashes,
  reexecForParsing,
  version,
} from "./base/index.ts"
import {
  loadFlags,
  loadOffer,
  loadRun,
  loadRunHook,
  loadServeHttp,
  loadServeStdio,
  loadTryHooks,
  PARSING,
} from "./doors/index.ts"
import { loadEncoderProcess } from "./index/index.ts"
import { loadCrashReports } from "./store/index.ts"
import { loadDocumentProcess } from "./text/index.ts"

// Another aman has started this process to do one kind of work, and ends it.
if (process.argv[2] === "read-documents" && process.send !== undefined) await loadDocumentProcess()
else if (process.argv[2] === "encode-texts" && process.send !== undefined) await loadEncoderProcess()
else process.exit(await main(await commandFirst(process.argv.slice(2))))

/**
 * Prints the version without loading any other module, because installers and shell prompts ask for it. Runs an
 * agent's hook directly; everything else is parsed and run by `cli`.
 */
async function main(argv: readonly string[]): Promise<number> {
  const [only] = argv
  const isVersion = argv.length === 1 && (only === "version" || only === "--version" || only === "-v")
  if (isVersion && isWritten(`aman ${version} (${commit})\n`)) return 0
  if (mayReportCrashes()) (await loadCrashReports()).neverReportCrashes()
  if (only === "hook" && !isForPeople(argv)) {
    const { runHook } = await loadRunHook()
    await runHook(argv.slice(1))
    return 0
  }
  if (PARSING.has(only ?? "") && !argv.some(isOpenFile)) reexecForParsing(lifeOf(argv))
  const signal = hasToFinish(argv) ? await abortSignal(argv) : new AbortController().signal
  const { run } = await loadRun()
  return run(isVersion ? ["version"] : argv, signal, {
    serve: async (options, tools, http, ending) => {
      const { offerAman } = await loadOffer()
      const offer = offerAman(tools, async () => {
        const { viewPage } = await loadPageFiles()
        return viewPage()
      })
      if (http === null) {
        const { serveStdio } = await loadServeStdio()
        await serveStdio(options, ending, offer)
      } else {
        const { serveHttp } = await loadServeHttp()
        await serveHttp(options, http, ending, offer)
      }
    },
    team: async () => (await loadTeamCommand()).teamCommand,
    serveUi: async (options, ending) => {
      const { serveUi } = await loadServeUi()
      await serveUi(options, ending)
    },
    mapPage: async (project, marks, ending) => {
      const [{ mapData }, { mapPage }] = await Promise.all([loadMapData(), loadPageFiles()])
      return mapPage(await mapData(project, marks, ending))
    },
    tryHooks: async (asked) => {
      const { tryHooks } = await loadTryHooks()
      return tryHooks(asked)
    },
  })
}

function lifeOf([command, verb]: readonly string[]): Parameters<typeof reexecForParsing>[0] {
  if (command === "team" && verb === "serve") return "node"
  return command === "serve" || command === "ui" ? "long" : "brief"
}

/** The arguments with the flags that stand before the command behind it. */
async function commandFirst(argv: readonly string[]): Promise<readonly string[]> {
  if (argv.length < 2 || !argv[0]!.startsWith("--")) return argv
  return (await loadFlags()).commandFirst(argv)
}

/**
 * True for a process substitution such as `<(…)`. The shell has opened it for this process only, so it would be closed
 * in the process that replaces this one.
 */
function isOpenFile(word: string): boolean {
  return word.includes("/dev/fd/")
}

/**
 * False if writing to stdout fails or would block, because only modules that are not loaded yet can handle
 * that.
 */
function isWritten(line: string): boolean {
  try {
    return writeSync(1, line) > 0
  } catch {
    return false
  }
}

/** True unless an agent calls the hook. An agent sends JSON and never asks for help or for a test. */
function isForPeople(argv: readonly string[]): boolean {
  return argv.some((word) => word === "--help" || word === "-h" || word === "--test") || isTerminal(0)
}

/**
 * True for commands that must finish something before they end: answers in progress, a running git, a private file
 * to remove, a terminal that they read from. The other commands keep the system's default action for signals, because nothing that
 * they store depends on how they end.
 */
function hasToFinish([command, ...words]: readonly string[]): boolean {
  if (command === "index") return words.some((word) => /^--watch(?:=|$)/.test(word))
  return ["serve", "ui", "repos", "setup", "team"].includes(command ?? "")
}

async function abortSignal([command, verb]: readonly string[]): Promise<AbortSignal> {
  const { abortOnSignals, DRAINING } = await loadAbortOnSignals()
  return command === "team" && verb === "serve" ? abortOnSignals(DRAINING) : abortOnSignals()
}
