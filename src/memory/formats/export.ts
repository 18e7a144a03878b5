/*
 * Exports the store as JSON Lines: header, projects, events. For a selection, the events of the selected entries and
 * of the entities that they name are kept, without texts that later events replaced.
 */

import { AmanError, compareTexts, isObject, type JsonObject, parseJson } from "../../base/index.ts"
import { MARK_KINDS, type MarkKind } from "../../store/index.ts"
import type { Entity } from "../entities/entities.ts"
import { comparable } from "../entries/labels.ts"
import type { Knowledge } from "../knowledge.ts"
import { foldSubjects, type SubjectStates } from "../log/derive.ts"
import { eventLine, foldOrder, type KnowledgeEvent, readEvent } from "../log/event.ts"
import { anyObject, isListOf, shaped, text } from "../log/shapes.ts"
import { currentEvents, moveProjects } from "./events.ts"
import type { ImportFormat } from "./imported.ts"
import { type BadLine, badLines, type InputLine, linesIn } from "./input-lines.ts"

/** Format name in the first line of an export. */
const JSONL_FORMAT = "aman-knowledge"

/**
 * Version of the file format; raised when a program that reads the previous version would misread or refuse its lines.
 * 2: entries may have a zone. 3: entries may hold beside others.
 */
const EXPORT_VERSION = 3

export type ExportOptions = {
  /** The entries to export; absent: everything, with previous revisions and deleted entries. */
  readonly selection?: ExportSelection
  /** True: the export includes the paths of the projects on this machine. */
  readonly withPaths?: boolean
}

export type ExportSelection = {
  /** Ids of entries. */
  readonly entries: ReadonlySet<string>
  /** Projects whose entities are exported; null in the list: entities of all projects; null: every project's. */
  readonly projects: readonly (string | null)[] | null
  /** True: only entities that an exported entry names, and the relations between them. */
  readonly onlyNamed: boolean
}

/**
 * The store's log as JSON Lines, without line ends: a header, the projects, the events in the order in which they are
 * folded. All lines are read from one state of the store. Stores with equal content yield equal lines.
 */
export function* exportLines(
  knowledge: Knowledge,
  { selection, withPaths = false }: ExportOptions = {},
): Generator<string> {
  const { events, projects } = knowledge.consistently(() => {
    const all = foldOrder(knowledge.events())
    const wanted = selection === undefined ? null : selected(all, selection)
    return {
      events: wanted?.events ?? all,
      projects: projectLines(knowledge, wanted?.projects ?? null, withPaths),
    }
  })
  const contents = selection === undefined ? "everything" : "listed"
  const counts = { contents, projects: projects.length, events: events.length }
  yield JSON.stringify({ format: JSONL_FORMAT, version: EXPORT_VERSION, ...counts })
  yield* projects
  yield* events.map(eventLine)
}

/**
 * The events of the selection in its current state, without previous revisions, deleted entities and relations; and the
 * projects to which the selected entries and entities belong.
 */
function selected(events: readonly KnowledgeEvent[], selection: ExportSelection) {
  const all = [...foldSubjects(events)]
  const states = new Map(all.filter(([, { of, value }]) => of !== "relation" || value.deletedAt === null))
  const chosen = selection.entries.union(chosenEntities(states, selection))
  const projects = [...chosen].flatMap((subject) => {
    const state = states.get(subject)
    return state === undefined || state.of === "relation" ? [] : [state.value.project]
  })
  return { events: currentEvents(events, states, chosen), projects: new Set(projects) }
}

/**
 * The selected entities, and the entities that were merged into one of them, directly or through another, because their
 * names became its aliases.
 */
function chosenEntities(states: SubjectStates, selection: ExportSelection): ReadonlySet<string> {
  const { entries, projects, onlyNamed } = selection
  const named = new Set<string>()
  for (const id of entries) {
    const state = states.get(id)
    if (state?.of === "entry") for (const name of state.value.entities) named.add(comparable(name))
  }
  const all = [...states.values()].flatMap(({ of, value }) => (of === "entity" ? [value] : []))
  const isWanted = ({ project, name, aliases }: Entity) =>
    (projects === null || projects.includes(project)) &&
    (!onlyNamed || [name, ...aliases].some((one) => named.has(comparable(one))))
  const living = all.filter(({ mergedInto, deletedAt }) => mergedInto === null && deletedAt === null)
  const chosen = new Set(living.filter(isWanted).map(({ id }) => id))
  for (let count = -1; count !== chosen.size; ) {
    count = chosen.size
    for (const { id, mergedInto } of all) if (mergedInto !== null && chosen.has(mergedInto)) chosen.add(id)
  }
  return chosen
}

/** One line per project in `wanted`; null: all projects. */
function projectLines(
  { projects }: Knowledge,
  wanted: ReadonlySet<string | null> | null,
  withPaths: boolean,
): string[] {
  const marks = projects.marks().filter(({ kind }) => kind !== "folder" && (withPaths || kind !== "path"))
  return projects
    .all()
    .filter(({ id }) => wanted === null || wanted.has(id))
    .sort((a, b) => compareTexts(a.id, b.id))
    .map(({ id, name, created }) => {
      const own = marks.filter(({ project }) => project === id).map(({ kind, value }) => ({ kind, value }))
      return JSON.stringify({ project: id, name, created, marks: own })
    })
}

/** The format of `aman memory export`: JSON Lines. */
export const AMAN: ImportFormat = {
  name: "aman",
  detects: ({ firstObject }) => firstObject["format"] === JSONL_FORMAT,
}

type ExportedProject = {
  readonly project: string
  readonly name: string
  readonly created: string
  readonly marks: readonly { readonly kind: MarkKind; readonly value: string }[]
}

type ExportContent = Pick<ReturnType<typeof readExport>, "projects" | "events">

/**
 * Reads an export; `bad`: the skipped lines, empty unless `skipBad`. Throws USAGE for bad lines and a truncated file,
 * KNOWLEDGE_NEWER for a newer format.
 */
export function readExport(exported: string, file: string, { skipBad = false }: { skipBad?: boolean } = {}) {
  const projects: ExportedProject[] = []
  const events: KnowledgeEvent[] = []
  const bad: BadLine[] = []
  let header: JsonObject | null = null
  for (const line of linesIn(exported)) {
    if (header === null) {
      header = headerOf(line, file)
      continue
    }
    const read = readExportLine(line)
    if (typeof read === "string") bad.push({ line: line.number, message: read })
    else if ("project" in read) projects.push(read)
    else events.push(read)
  }
  if (header === null) throw notAnExport(file)
  if (bad.length > 0 && !skipBad) throw badLines(file, bad)
  const promised = header["events"]
  if (bad.length === 0 && typeof promised === "number" && promised > events.length) {
    throw new AmanError("USAGE", `${file} is incomplete: it has ${events.length} of ${promised} events`, {
      hint: "nothing was stored; export it again",
    })
  }
  return { projects, events, bad }
}

/** The project or event in a line; a string is an error message. */
function readExportLine(line: InputLine): ExportedProject | KnowledgeEvent | string {
  const value = parseJson(line.text)
  if (isObject(value) && "project" in value)
    return PROJECT(value, "") ?? withKnownMarks(value as ExportedProject)
  return readEvent(value)
}

const PROJECT = shaped({
  project: text,
  name: text,
  created: text,
  marks: isListOf(shaped({ kind: text, value: text })),
})

/** The project without marks that this version does not know or that are valid on the exporting machine only. */
function withKnownMarks(project: ExportedProject): ExportedProject {
  return { ...project, marks: project.marks.filter(({ kind }) => MARK_KINDS.some((known) => known === kind)) }
}

function headerOf({ text: line }: InputLine, file: string): JsonObject {
  const header = parseJson(line)
  if (anyObject(header, "") !== null || (header as JsonObject)["format"] !== JSONL_FORMAT)
    throw notAnExport(file)
  const version = Number((header as JsonObject)["version"])
  if (version > EXPORT_VERSION)
    throw new AmanError("KNOWLEDGE_NEWER", `${file} was written by a newer aman (version ${version})`, {
      hint: "nothing was changed; update aman",
    })
  return header as JsonObject
}

function notAnExport(file: string): AmanError {
  return new AmanError("USAGE", `${file} is not an export of aman: its first line is not a header`, {
    hint: "if it has another format, set --format",
  })
}

/**
 * Imports an export of this or another store; importing it again changes nothing. An exported project is mapped to the
 * project here with the same id, else to the one that shares a remote and a root commit with it, else it is added. Returns
 * the numbers of new and of known events, the `projects` with their ids on this machine, those with another id than in the
 * export (`moved`), and those that have only one mark in common with a project here, or match several (`ambiguous`).
 */
export function importExport(
  knowledge: Knowledge,
  { projects, events }: ExportContent,
  { dryRun = false }: { dryRun?: boolean } = {},
) {
  const moved: { readonly name: string; readonly from: string; readonly to: string }[] = []
  const ambiguous: { readonly name: string; readonly candidates: readonly string[] }[] = []
  const ids = new Map<string, string>()
  for (const project of projects) {
    const { id, candidates } = projectHere(knowledge, project)
    if (candidates.length > 0) ambiguous.push({ name: project.name, candidates })
    ids.set(project.project, id)
    if (id !== project.project) moved.push({ name: project.name, from: project.project, to: id })
  }
  const here =
    moved.length === 0 ? events : moveProjects(events, (id) => (id === null ? null : (ids.get(id) ?? id)))
  const found = {
    ...{ moved, ambiguous },
    projects: projects.map(({ name, project }) => ({ name, id: ids.get(project)! })),
  }
  const added = dryRun
    ? newEvents(knowledge, here)
    : knowledge.write(() => {
        for (const project of projects) register(knowledge, project, ids.get(project.project)!)
        return knowledge.appendEvents(here)
      })
  return { added, known: events.length - added, ...found }
}

function newEvents(knowledge: Knowledge, events: readonly KnowledgeEvent[]): number {
  const known = new Set(knowledge.events().map(({ id }) => id))
  return events.filter(({ id }) => !known.has(id)).length
}

/**
 * The project in this store to which an exported project corresponds. Unless the ids are equal, remote and root
 * commit must both be equal, because anyone can write any remote into a configuration, and a fork has the root commit
 * of the original.
 */
function projectHere({ projects }: Knowledge, { project, marks }: ExportedProject) {
  if (projects.get(project) !== null) return { id: project, candidates: [] }
  const having = (wanted: MarkKind) =>
    new Set(marks.flatMap(({ kind, value }) => (kind === wanted ? projects.withMark(kind, value) : [])))
  const [remotes, rootCommits] = [having("remote"), having("root-commit")]
  const both = [...remotes].filter((id) => rootCommits.has(id))
  if (both.length === 1) return { id: both[0]!, candidates: [] }
  return { id: project, candidates: both.length > 1 ? both : [...remotes.union(rootCommits)] }
}

/** Adds the project and its marks. A path that belongs to another project in this store stays with that project. */
function register({ projects }: Knowledge, { name, created, marks }: ExportedProject, id: string): void {
  projects.add({ id, name, created })
  for (const { kind, value } of marks)
    if (kind !== "path" || projects.withMark(kind, value).length === 0)
      projects.mark({ project: id, kind, value })
}
