import { html } from "htm/preact"
import type { Explanation as ScoreExplanation } from "../../../src/base/answers.ts"

/** Reasons with their own part of the bar; all others are one part. */
const MAX_PARTS = 6

/** The features behind each reason, without the prefix of those that count for some questions only. */
const REASONS: Readonly<Record<string, string>> = {
  "words in its text":
    "file_bm25 file_bm25_idf chunk_bm25 chunk_bm25_idf top_chunks_bm25 top_chunks_bm25_idf body_chunk body_file exact_words mentions carries_words",
  "your words in the same order": "verbatim",
  "names it defines": "names_chunk names_file name_f1 defines_exact defines_folded",
  "its comments": "doc_chunk head",
  "its file name":
    "stem stem_share stem_times_share stem_idf_share stem_times_depth stem_prefix stem_is_name generic_stem",
  "its folders": "dirs path_idf_share folder_share named_as_project depth siblings",
  "your current folder": "folder",
  "similar meaning": "cosine_best cosine_top_three cosine_file cosine_names cosine_path meaning meant",
  "found in several ways": "fusion",
  "how much other files use it": "stem_references name_references centrality",
  "its length": "log_lines definition_density",
  "its kind of file":
    "test example aside docs catalog translation data declaration generated older_version repeating record best_page",
  "your text names it": "named named_path",
  "similar past commits": "similar_commits",
  "the question without the guessed names": "asked",
}
const REASON_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(REASONS).flatMap(([reason, features]) => features.split(" ").map((each) => [each, reason])),
)

/** The reason that stands for a feature, in words of a user; its own name if there is none. */
export function reasonOf(feature: string): string {
  const name = feature.replace(/^.*:/, "").replaceAll(" ", "_")
  return REASON_OF.get(name) ?? name.replaceAll("_", " ")
}

/** The ways to find candidates, in words of a user. */
const WAYS: Readonly<Record<string, string>> = {
  files: "words",
  chunks: "words near each other",
  symbol: "names",
  vector: "meaning",
  model: "meaning, by your embedder",
  program: "your search program",
}

/**
 * Two stacked bars: the reasons that raised the score of a result, and those that lowered it. The largest reasons are
 * named.
 */
export function Explanation({ explained }: { explained: ScoreExplanation }) {
  const { features, channels } = explained
  const sums = [...Map.groupBy(features, ({ name }) => reasonOf(name))].map(([name, own]) => ({
    name,
    amount: own.reduce((sum, { contribution }) => sum + contribution, 0),
  }))
  const raising = scoreParts(sums.filter(({ amount }) => amount > 0))
  const lowering = scoreParts(sums.filter(({ amount }) => amount < 0))
  const scale = Math.max(total(raising), total(lowering), Number.EPSILON)
  const found = Object.entries(channels).map(([name, rank]) => `${WAYS[name] ?? name} (place ${rank})`)
  return html`<div class="explanation">
    <${Bar} label="raised by" parts=${raising} scale=${scale} />
    <${Bar} label="lowered by" parts=${lowering} scale=${scale} />
    <p>Found by ${found.join(", ") || "other files"}</p>
  </div>`
}

type ScorePart = { readonly name: string; readonly amount: number }

function scoreParts(sums: readonly ScorePart[]): ScorePart[] {
  const sorted = sums
    .map(({ name, amount }) => ({ name, amount: Math.abs(amount) }))
    .sort((a, b) => b.amount - a.amount)
  const others = sorted.slice(MAX_PARTS)
  if (others.length === 0) return sorted
  return [...sorted.slice(0, MAX_PARTS), { name: `${others.length} others`, amount: total(others) }]
}

function total(parts: readonly ScorePart[]): number {
  return parts.reduce((sum, { amount }) => sum + amount, 0)
}

function Bar({ label, parts, scale }: { label: string; parts: readonly ScorePart[]; scale: number }) {
  if (parts.length === 0) return null
  return html`<section class=${label.startsWith("raised") ? "raised" : "lowered"}>
    <h3>${label} ${total(parts).toFixed(2)}</h3>
    <div class="bar" aria-hidden="true">${parts.map(
      ({ amount }, nth) =>
        html`<span class=${`part p${nth}`} style=${{ width: `${(100 * amount) / scale}%` }}></span>`,
    )}</div>
    <ul>${parts.map(({ name, amount }, nth) => html`<li><i class=${`part p${nth}`}></i>${name} <b>${amount.toFixed(2)}</b></li>`)}</ul>
  </section>`
}
