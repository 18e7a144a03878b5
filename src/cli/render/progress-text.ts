import { duration, groupDigits, percent } from "./numbers.ts"

const PHASES = {
  scan: { title: "Scanning files", noun: "files" },
  parse: { title: "Reading", noun: "files" },
  merge: { title: "Writing the index", noun: "parts" },
  embed: { title: "Embedding", noun: "files" },
  link: { title: "Linking vectors", noun: "chunks" },
  send: { title: "Embedding", noun: "chunks" },
  remember: { title: "Embedding", noun: "memories" },
} as const
/** Progress of a long operation. */
export type Progress = { readonly phase: keyof typeof PHASES; readonly done: number; readonly total: number }

// Window in ms over which the rate is computed: files differ in size, and other work on the machine changes the
// speed.
const RATE_WINDOW_MS = 5000

const SAMPLE_MS = 100

/** Progress as one line: "Reading  1,200/5,000 files  24 %  410 files/s  9 s left". */
export function progressText(progress: Progress, perSecond: number): string {
  return progressParts(progress, perSecond).join("  ")
}

/** Phase, progress, rate and remaining time; the last two only if known. */
export function progressParts({ phase, done, total }: Progress, perSecond: number): string[] {
  const { title, noun } = PHASES[phase]
  if (total <= 0) return [title, `${groupDigits(done)} ${noun}`]
  const parts = [
    title,
    `${groupDigits(done)}/${groupDigits(total)} ${noun}`,
    percent(Math.min(1, done / total)),
  ]
  if (perSecond > 0) {
    parts.push(`${groupDigits(perSecond)} ${noun}/s`)
    if (done < total) parts.push(`${duration(Math.max(1000, ((total - done) / perSecond) * 1000))} left`)
  }
  return parts
}

/** Items per second, over the last seconds of the current phase. */
export class Speed {
  #phase = ""
  #samples: { time: number; done: number }[] = []

  measure({ phase, done }: Progress, time: number): number {
    if (phase !== this.#phase) {
      this.#phase = phase
      this.#samples = []
    }
    // Keeps a few samples per second; updates are far more frequent.
    const last = this.#samples.at(-1)
    if (!last || time - last.time >= SAMPLE_MS) this.#samples.push({ time, done })
    while (this.#samples.length > 2 && time - this.#samples[0]!.time > RATE_WINDOW_MS) this.#samples.shift()
    const first = this.#samples[0]!
    return time > first.time ? ((done - first.done) * 1000) / (time - first.time) : 0
  }
}
