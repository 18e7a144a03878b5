/** A process that can be asked to end and then computes for ever; signals.test.ts starts it. */
import { writeSync } from "node:fs"
import { abortOnSignals } from "../src/app/signals/abort-on-signals.ts"

abortOnSignals({ afterSignalMs: 300, afterInputMs: 300 })
// Threads start while the event loop turns.
setTimeout(() => {
  writeSync(1, "busy\n")
  for (;;);
}, 200)
