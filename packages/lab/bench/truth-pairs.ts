import { type PairSet, readPairs, tallyPairs } from "../../../test/truth-pairs.ts"
import type { JudgedSplit } from "./symbols/judged.ts"
import type { Cell, Table } from "./table.ts"

/** Share of labelled pairs of notes and remarks that are judged correctly, for each label. */
export function truthPairsTable(): Table {
  return {
    title: "Two statements, the older one found first: what is told of them by their words",
    columns: [
      { name: "pairs" },
      { name: "number", digits: 0 },
      { name: "old marked" },
      { name: "contradiction" },
      { name: "newer first" },
    ],
    rows: [
      ...rowsOf("pairs", "known"),
      ...rowsOf("held-out", "held out"),
      ...rowsOf("unseen", "unseen"),
      ...rowsOf("fresh", "fresh"),
      ...rowsOf("notes", "notes"),
      ...rowsOf("notes-closed", "notes, closed"),
      ...rowsOf("languages-open", "ten languages"),
      ...rowsOf("languages-closed", "ten languages, closed"),
    ],
    notes: [
      "known: the rules were made with them. held out: written afterwards; at first .84 of its updates, .92 of its",
      "contradictions and .16 of its different things were marked, and its faults mended. unseen: measured only.",
      "fresh: short notes, most of them in other words than what they compete with; of the updates .36 were marked at first,",
      "of the different things .07, and half of the faults were looked at.",
      "notes: notes by hand, lines of documents before and after a commit, and lines that look alike; the reader has",
      "learnt these and fresh (models/reader.md). closed: the same, from other sources, measured only.",
      "past: asked how things were; they keep their order.",
    ],
  }
}

const LANGUAGE_SETS: Record<JudgedSplit, readonly PairSet[]> = {
  develop: ["languages-open"],
  closed: ["languages-closed", "languages-unseen"],
}

/** Share of the pairs in ten languages that are marked, a row for each set of the split and each label. */
export function languagePairsTable(split: JudgedSplit): Table {
  return {
    title: "Two notes in ten languages, the older one found first: share marked, and current one shown first",
    columns: [{ name: "pairs" }, { name: "number", digits: 0 }, { name: "marked" }, { name: "newer first" }],
    rows: LANGUAGE_SETS[split].flatMap((set) =>
      [...tallyPairs(readPairs(set))].map(([label, { pairs, marked, newerFirst }]) => [
        `${label}, ${set}`,
        ...[pairs, marked / pairs, newerFirst / pairs],
      ]),
    ),
  }
}

function rowsOf(set: PairSet, name: string): Cell[][] {
  return [...tallyPairs(readPairs(set))].map(([label, { pairs, outdated, contradicting, newerFirst }]) => [
    `${label}, ${name}`,
    pairs,
    outdated / pairs,
    contradicting / pairs,
    newerFirst / pairs,
  ])
}
