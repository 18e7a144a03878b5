import { html } from "htm/preact"
import type { Explanation as ScoreExplanation } from "../../../src/base/answers.ts"

/** Features with their own part of the bar; all others are one part. */
const MAX_PARTS = 6

/**
 * Two stacked bars: the features that raised the score of a result, and those that lowered it. The largest features
 * are named.
 */
export function Explanation({ explained }: { explained: ScoreExplanation }) {
  const { features, sum, channels } = explained
  const raising = scoreParts(features.filter(({ contribution }) => contribution > 0))
  const lowering = scoreParts(features.filter(({ contribution }) => contribution < 0))
  const scale = Math.max(total(raising), total(lowering), Number.EPSILON)
  const found = Object.entries(channels).map(([name, rank]) => `${name} (${rank})`)
  return html`<div class="explanation">
    <${Bar} label="raised by" parts=${raising} scale=${scale} />
    <${Bar} label="lowered by" parts=${lowering} scale=${scale} />
    <p>Sum ${sum.toFixed(2)}; found by ${found.join(", ") || "other files"}</p>
  </div>`
}

type ScorePart = { readonly name: string; readonly amount: number }

function scoreParts(features: ScoreExplanation["features"]): ScorePart[] {
  const sorted = features
    .map(({ name, contribution }) => ({ name: name.replaceAll("_", " "), amount: Math.abs(contribution) }))
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
