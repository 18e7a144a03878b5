/*
 * The checks of `aman doctor`, in this order: program and settings, project, machine, index, embedder, memory,
 * sharing, grammars, clients. Each check returns a result with a remedy; nothing is changed.
 */

import { limitedSettings, validateSettings } from "../../ask/index.ts"
import { AmanError, type CheckResult, type Config } from "../../base/index.ts"
import {
  type EmbedderReport,
  openProject,
  type Project,
  type ProjectOptions,
  probeEmbedder,
  unusedOllama,
} from "../../index/index.ts"
import { checkKnowledge, pendingChangesIn } from "../../memory/index.ts"
import { type GrammarPack, loadLanguagePacks, loadLanguages } from "../../parse/index.ts"
import { checkClients } from "./check-clients.ts"
import { checkIndex } from "./check-index.ts"
import { checkMachine, checkParts } from "./check-machine.ts"

export type Diagnosis = { readonly state: CheckResult["state"]; readonly checks: readonly CheckResult[] }

/** Checks everything that can hinder aman here. Changes nothing. */
export async function diagnose(options: ProjectOptions): Promise<Diagnosis> {
  const checks: CheckResult[] = [...checkParts(), ...(await checkSettings(options))]
  using project = openOrCheck(options, checks)
  checks.push(...checkMachine(project))
  if (project !== null) {
    checks.push(...checkIndex(project))
    checks.push(...(await checkEmbedder(project.config)))
  }
  checks.push(
    ...checkKnowledge(),
    ...checkSharing(project?.root ?? null),
    ...(await checkGrammars()),
    ...(await checkClients(project?.root ?? null)),
  )
  return { state: worstState(checks), checks }
}

async function checkSettings(options: ProjectOptions): Promise<CheckResult[]> {
  const problems = await validateSettings(options).catch(() => [])
  if (problems.length === 0) {
    const limited = limitedSettings(options, options)
    if (limited.length === 0) return [{ name: "settings", state: "ok", message: "valid", next: null }]
    return limited.map(({ message, hint }) => ({ name: "settings", state: "warning", message, next: hint }))
  }
  return problems.map(({ message, hint }) => ({ name: "settings", state: "error", message, next: hint }))
}

function openOrCheck(options: ProjectOptions, checks: CheckResult[]): Project | null {
  try {
    const project = openProject(options)
    checks.push({ name: "project", state: "ok", message: project.root, next: null })
    return project
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    // Problems of the settings are not reported again, because the list already contains them one by one.
    if (checks.some(({ state }) => state === "error") && error.code === "USAGE") return null
    const state = error.code === "NO_ROOT" ? "warning" : "error"
    checks.push({ name: "project", state, message: error.message, next: error.hint ?? null })
    return null
  }
}

/** Warns about changes of a team's memory that wait for a person's review. */
function checkSharing(root: string | null): CheckResult[] {
  const pending = root === null ? null : pendingChangesIn(root)
  if (pending === null) return []
  const { message, command } = pending
  return [{ name: "sharing", state: "warning", message, next: command === null ? null : `run: ${command}` }]
}

/** The language whose grammar shows that grammars can be loaded on this machine. */
const LOADED = "javascript"

async function checkGrammars(): Promise<CheckResult[]> {
  const { allLanguages, grammarBytes, loadGrammar } = await loadLanguages()
  const { installedPacks } = await loadLanguagePacks()
  const { packs, damaged } = installedPacks()
  const failed: string[] = []
  const wanted = new Set(allLanguages().filter(({ grammar }) => grammar !== null))
  const added = new Set(packs.map(({ id }) => id))
  for (const language of wanted) {
    // The others of aman are only unpacked, which compares their checksums; loading all would take 300 MB.
    const check =
      added.has(language.id) || language.id === LOADED
        ? loadGrammar(language)
        : grammarBytes(language.grammar!)
    await check.catch(() => failed.push(language.id))
  }
  const ownFailed = [...failed.filter((id) => added.has(id)), ...damaged.map(({ id }) => id)]
  return [
    ...builtInGrammars(
      wanted.size - added.size,
      failed.filter((id) => !added.has(id)),
    ),
    ...addedGrammars(packs, ownFailed),
  ]
}

function builtInGrammars(count: number, failed: readonly string[]): CheckResult[] {
  if (failed.length === 0)
    return [{ name: "grammars", state: "ok", message: `${count} are intact`, next: null }]
  const message = `cannot load ${failed.join(", ")}; files of these languages are split by lines`
  const next = "the program file is damaged: install aman again"
  return [{ name: "grammars", state: "error", message, next }]
}

/** A check of the grammars that the user has added; empty if there are none. */
function addedGrammars(packs: readonly GrammarPack[], failed: readonly string[]): CheckResult[] {
  if (failed.length > 0) {
    const message = `cannot load ${failed.join(", ")}, which you added; their files are split by lines`
    const next = `add them again, or run: aman grammars remove ${failed[0]}`
    return [{ name: "grammars", state: "warning", message, next }]
  }
  if (packs.length === 0) return []
  const message = `${packs.map(({ id }) => id).join(", ")} added by you`
  return [{ name: "grammars", state: "ok", message, next: null }]
}

function worstState(checks: readonly CheckResult[]): CheckResult["state"] {
  const states = checks.map(({ state }) => state)
  return states.includes("error") ? "error" : states.includes("warning") ? "warning" : "ok"
}

const name = "embedder"

/** Checks that the configured embedder answers and has its model. Downloads nothing. */
async function checkEmbedder({ embeddings }: Config): Promise<CheckResult[]> {
  const builtIn: CheckResult = { name, state: "ok", message: "aman512 is built in", next: null }
  if (embeddings.provider === "static") return [builtIn, ...(await checkUnused(embeddings.host))]
  const report = await probeEmbedder(embeddings)
  return report.provider === "static" && report.failure === null
    ? [builtIn]
    : [builtIn, embedderCheck(report)]
}

/** Reports an embedder that is available but not used because it was not selected. */
async function checkUnused(host: string): Promise<CheckResult[]> {
  const next = "to use it: aman config set embeddings.provider ollama"
  if (host !== "") {
    const message = "embeddings.host has no effect, because embeddings.provider is static"
    return [{ name, state: "warning", message, next }]
  }
  const unusedModel = await unusedOllama()
  if (unusedModel === null) return []
  const message = `Ollama ${unusedModel.version} at ${unusedModel.address} is available but not used, so nothing is sent to it`
  return [{ name, state: "ok", message, next }]
}

function embedderCheck(report: EmbedderReport): CheckResult {
  const { isAutomatic, isReachable, address, model, dimensions, failure, hint } = report
  if (failure === null) {
    return {
      name,
      state: "ok",
      message: `${serverNameOf(report)} has ${model}, ${dimensions} dimensions`,
      next: null,
    }
  }
  // An embedder that was not configured need not be available.
  if (isAutomatic && !isReachable) {
    return { name, state: "ok", message: `no Ollama at ${address}; none is needed`, next: null }
  }
  const message = isReachable ? `${serverNameOf(report)}: ${failure}` : failure
  return { name, state: isAutomatic ? "warning" : "error", message, next: hint }
}

function serverNameOf({ provider, version, address }: EmbedderReport): string {
  const names: Readonly<Record<typeof provider, string>> = {
    static: "the built-in embedder",
    ollama: `Ollama ${version === null ? "" : `${version} `}at ${address}`,
    openai: `the server at ${address}`,
    program: `the program ${address}`,
  }
  return names[provider]
}
