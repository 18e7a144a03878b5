import type { CommandOutput } from "../output.ts"
import type { ProgressBar } from "./progress-bar.ts"
import { type Progress, progressText, Speed } from "./progress-text.ts"

const LINE_MS = 1000
// Time in ms before the first progress is shown, so that short operations do not flicker.
const PROGRESS_DELAY_MS = 200

export type ProgressReporter = { update(progress: Progress): void; done(): void }
type RemarkOutput = Pick<CommandOutput, "remark" | "isRemarkTerminal" | "remarkColumns" | "remarkColors">

/** Reports progress on stderr: a bar on a terminal, else one line per second; nothing with --quiet. */
export function reportProgress(
  output: RemarkOutput,
  { quiet, verbose }: { readonly quiet: boolean; readonly verbose: boolean },
  now: () => number = performance.now.bind(performance),
): ProgressReporter {
  if (quiet) return { update: () => {}, done: () => {} }
  // With --verbose, log lines would break the bar.
  return output.isRemarkTerminal && !verbose ? onTerminal(output, now) : lineBySecond(output, now)
}

function onTerminal(output: RemarkOutput, now: () => number): ProgressReporter {
  const speed = new Speed()
  const start = now()
  let isOpening = false
  let bar: ProgressBar | null = null
  let isDone = false
  let latest: Progress
  async function open(): Promise<void> {
    const { openProgressBar } = await import("./progress-bar.ts")
    if (!isDone) bar = openProgressBar(output, latest)
  }
  return {
    update(progress) {
      const time = now()
      const perSecond = speed.measure(progress, time)
      latest = progress
      if (bar) bar.update(progress, perSecond)
      else if (!isOpening && time - start >= PROGRESS_DELAY_MS) {
        isOpening = true
        void open()
      }
    },
    done() {
      isDone = true
      bar?.close()
      bar = null
    },
  }
}

function lineBySecond(output: RemarkOutput, now: () => number): ProgressReporter {
  const speed = new Speed()
  let next = now() + LINE_MS
  let isDone = false
  return {
    update(progress) {
      if (isDone) return
      const time = now()
      const perSecond = speed.measure(progress, time)
      if (time < next) return
      next = time + LINE_MS
      output.remark(`${progressText(progress, perSecond)}\n`)
    },
    done() {
      isDone = true
    },
  }
}
