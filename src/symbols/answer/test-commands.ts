/*
 * Finds the commands that run tests from what the project shows: words of the test's file, then the nearest manifest above
 * it. Commands are printed and never executed; every word that comes from the project is quoted for a POSIX shell.
 */

import { posix } from "node:path"
import type { Project } from "../../index/index.ts"
import { TEST_RUNNERS, type TestRunner, type TestToRun } from "../../parse/index.ts"
import type { Store } from "../../store/index.ts"
import type { SymbolDefinition } from "../definition.ts"
import type { FileView } from "../file-view.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import { FileTexts } from "./answer-lines.ts"
import { type ReachingTest, type TestOptions, testsReaching } from "./reaching-tests.ts"
import type { RelatedDefinition, SymbolResults, TestCommands } from "./symbol-answer.ts"

/** Control and invisible characters, which cannot be shown in a command without a risk. */
const UNSHOWN = /[\p{C}\p{Zl}\p{Zp}]/u

/** The tests that reach the definitions, with the commands that run them. */
export function testsOf(
  project: Project,
  graph: SymbolGraph,
  definitions: readonly SymbolDefinition[],
  options: TestOptions,
): SymbolResults {
  const texts = new FileTexts(project, graph.store)
  const { tests, ...found } = testsReaching(graph, texts, definitions, options)
  const commandsFor = (page: readonly RelatedDefinition[]) =>
    testCommands(
      tests.filter((each) => page.includes(each)),
      texts,
      graph.store,
    )
  return { definitions, related: tests, commandsFor, ...found }
}

/** The commands that run these tests, one for each runner and folder. */
function testCommands(tests: readonly ReachingTest[], texts: FileTexts, store: Store): TestCommands {
  const groups = new Map<string, Running & { readonly chosen: TestToRun[] }>()
  const unknown = new Set<string>()
  const runners = new Runners(texts, store)
  for (const test of tests) {
    const { file, symbol } = test.definition
    const found = UNSHOWN.test(`${file.path}${symbol.name}`) ? null : runners.runnerOf(file)
    if (found === null) {
      unknown.add(file.path)
      continue
    }
    const chosen = toRun(test, posix.relative(found.folder, file.path), texts.text(file.path))
    const key = [TEST_RUNNERS.indexOf(found.runner), found.folder, found.runner.apart?.(chosen)].join("\0")
    const group = groups.get(key) ?? { ...found, chosen: [] }
    group.chosen.push(chosen)
    groups.set(key, group)
  }
  const commands = Array.from(groups.values(), ({ runner, folder, chosen }) => {
    const command = runner.run(chosen).map(shellWord).join(" ")
    return folder === "." ? command : `cd ${shellWord(folder.replace(/^-/, "./-"))} && ${command}`
  })
  return { commands, unknown: [...unknown] }
}

function toRun({ definition, titles, isGroup }: ReachingTest, path: string, text: string): TestToRun {
  const { symbol, file } = definition
  const isFunction = symbol.ordinal >= 0
  const owners = symbol.owner?.split(/::|[.\\]/) ?? []
  const names = isFunction ? [...owners, symbol.name] : []
  return { path, text, package: file.package, names, titles, line: symbol.startLine, isGroup }
}

function shellWord(text: string): string {
  return /^[\w./:@%+,-][\w./:@%+,=-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

type Running = { readonly runner: TestRunner; readonly folder: string }
type Manifest = { readonly folder: string; readonly text: string }

/** Finds the runner of a test, and the manifests above it, each once. */
class Runners {
  readonly #texts: FileTexts
  readonly #store: Store
  readonly #nearest = new Map<string, Manifest | null>()

  constructor(texts: FileTexts, store: Store) {
    this.#texts = texts
    this.#store = store
  }

  /** The first runner with a manifest whose sign is in the file, otherwise the first whose sign is in the manifest. */
  runnerOf({ path, family }: FileView): Running | null {
    const rows = TEST_RUNNERS.flatMap((runner) => {
      const found = runner.family === family ? this.#manifestAbove(path, runner.manifests) : null
      return found === null ? [] : [{ runner, ...found }]
    })
    const text = this.#texts.text(path)
    return (
      rows.find(({ runner: { sign } }) => sign === undefined || sign.test(text)) ??
      rows.find((row) => row.runner.sign!.test(row.text)) ??
      null
    )
  }

  /** The manifests of these names in the nearest folder above a path that has one; null if none has. */
  #manifestAbove(path: string, names: readonly string[]): Manifest | null {
    if (path === ".") return null
    const folder = posix.dirname(path)
    const key = `${folder}\0${names.join()}`
    let found = this.#nearest.get(key)
    if (found === undefined) {
      const text = names.map((name) => this.#textOf(folder, name)).join("\n")
      found = text.trim() === "" ? this.#manifestAbove(folder, names) : { folder, text }
      this.#nearest.set(key, found)
    }
    return found
  }

  #textOf(folder: string, name: string): string {
    if (!name.startsWith("*")) return this.#texts.text(posix.join(folder, name))
    return this.#store.files.matching([name]).find((path) => posix.dirname(path) === folder) ?? ""
  }
}
