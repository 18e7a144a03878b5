/*
 * Exports the store as JSON Lines: header, projects, events. For a selection, the events of the selected entries and
 * of the entities that they name are kept, without texts that later events replaced.
 */

import { compareTexts } from "../../../base/compare-texts.ts"
import { comparable } from "../../entries/labels.ts"
import type { Knowledge } from "../../knowledge.ts"
import type { KnowledgeEvent } from "../../log/event.ts"
import { withoutFormerForms } from "../current-forms.ts"
import { foldOrder, projectBySubject } from "./scopes.ts"

/** Format name in the first line of an export. */
export const JSONL_FORMAT = "aman-knowledge"

/** Version of the file format; raised when a program that reads the previous version would misread the file. */
export const EXPORT_VERSION = 1

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
  for (const { id, at, subject, change } of events) yield JSON.stringify({ id, at, subject, change })
}

type SelectedEvents = {
  readonly events: readonly KnowledgeEvent[]
  /** Projects to which the selected entries and entities belong. */
  readonly projects: ReadonlySet<string | null>
}

/** The events of the selection in its current state: no previous revisions, no deleted entities or relations. */
function selected(events: readonly KnowledgeEvent[], selection: ExportSelection): SelectedEvents {
  const histories = Map.groupBy(events, ({ subject }) => subject)
  const scopes = projectBySubject(events)
  const entities = chosenEntities(histories, scopes, selection)
  const isChosen = ([first]: readonly KnowledgeEvent[]) =>
    first!.change.type === "relation"
      ? entities.has(first!.change.from) && entities.has(first!.change.to)
      : selection.entries.has(first!.subject) || entities.has(first!.subject)
  const chosen = [...histories.values()].filter((history) => isChosen(history) && !isRelationDeleted(history))
  return {
    events: foldOrder(chosen.flatMap(withoutFormerForms)),
    projects: new Set(chosen.map(([first]) => scopes.get(first!.subject) ?? null)),
  }
}

type EventsBySubject = ReadonlyMap<string, readonly KnowledgeEvent[]>

/**
 * The selected entities, and the entities that were merged into one of them, because their names became its aliases.
 */
function chosenEntities(
  histories: EventsBySubject,
  scopes: ReadonlyMap<string, string | null>,
  selection: ExportSelection,
): ReadonlySet<string> {
  const entries = [...selection.entries].map((id) => histories.get(id) ?? [])
  const named = new Set(entries.flatMap(namedByEntry).map(comparable))
  const isWanted = (subject: string, history: readonly KnowledgeEvent[]) =>
    isOfProjects(scopes.get(subject), selection.projects) &&
    (!selection.onlyNamed || entityNames(history).some((name) => named.has(name)))
  const chosen = new Set<string>()
  const merged: [from: string, into: string][] = []
  for (const [subject, history] of histories) {
    const state = history.findLast(({ change }) => STATES.has(change.type))?.change
    if (state?.type === "entity-merged") merged.push([subject, state.into])
    if (state?.type === "entity" && isWanted(subject, history)) chosen.add(subject)
  }
  return withMerged(chosen, merged)
}

/** Adds the entities that were merged into a chosen one, directly or through another. */
function withMerged(
  chosen: Set<string>,
  merged: readonly (readonly [from: string, into: string])[],
): ReadonlySet<string> {
  for (let count = -1; count !== chosen.size; ) {
    count = chosen.size
    for (const [from, into] of merged) if (chosen.has(into)) chosen.add(from)
  }
  return chosen
}

function namedByEntry(history: readonly KnowledgeEvent[]): readonly string[] {
  const change = history.findLast(({ change }) => "fields" in change && "entities" in change.fields)?.change
  const isEntry = change?.type === "stored" || change?.type === "revised"
  return isEntry ? (change.fields.entities ?? []) : []
}

const STATES: ReadonlySet<string> = new Set(["entity", "entity-merged", "entity-deleted"])

function isOfProjects(
  project: string | null | undefined,
  projects: readonly (string | null)[] | null,
): boolean {
  return project !== undefined && (projects === null || projects.includes(project))
}

function entityNames(history: readonly KnowledgeEvent[]): string[] {
  return history.flatMap(({ change }) => {
    if (change.type !== "entity" && change.type !== "entity-revised") return []
    const { name, aliases = [] } = change.fields
    return [...(name === undefined ? [] : [name]), ...aliases].map(comparable)
  })
}

function isRelationDeleted(history: readonly KnowledgeEvent[]): boolean {
  const state = history.findLast(({ change }) => change.type.startsWith("relation"))?.change
  return state?.type === "relation-deleted"
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
