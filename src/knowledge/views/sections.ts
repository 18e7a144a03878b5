import type { Entry, EntryKind } from "../entry.ts"

/** What one would want to know of a subject, in the order of reading. */
export const SECTIONS = [
  "decisions",
  "architecture",
  "invariants",
  "interfaces",
  "data",
  "how-to",
  "gotchas",
  "performance",
  "facts",
  "events",
] as const
export type SectionName = (typeof SECTIONS)[number]

/** Named as gaps where a subject has nothing of them: the core of what seed 002 asked of a subject. */
export const CORE_SECTIONS: readonly SectionName[] = [
  "decisions",
  "architecture",
  "invariants",
  "how-to",
  "gotchas",
  "performance",
]

/** By its tags, else by its kind. */
export function sectionOf({ tags, kind }: Entry): SectionName {
  for (const tag of tags) {
    const section = BY_TAG.get(tag)
    if (section !== undefined) return section
  }
  return BY_KIND[kind]
}

const BY_KIND: Readonly<Record<EntryKind, SectionName>> = {
  decision: "decisions",
  procedural: "how-to",
  semantic: "facts",
  episodic: "events",
}

/** Normalised tags. */
const TAGS: Readonly<Partial<Record<SectionName, string>>> = {
  decisions: "decision adr rationale trade-off why",
  architecture: "architecture design overview structure component module data-flow flow pattern",
  invariants: "invariant constraint rule contract assumption requirement must",
  interfaces: "api interface endpoint surface schema protocol cli",
  data: "data data-format format file-format storage database db model migration",
  "how-to": "how-to howto procedure runbook recipe setup command workflow deploy deployment guide",
  gotchas: "gotcha pitfall bug trap caveat warning issue limitation workaround known-issue incident",
  performance: "performance perf benchmark latency speed memory profiling optimization",
}

const BY_TAG: ReadonlyMap<string, SectionName> = new Map(
  Object.entries(TAGS).flatMap(([section, tags]) =>
    tags.split(" ").map((tag) => [tag, section as SectionName] as const),
  ),
)
