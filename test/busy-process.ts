/** A process that can be asked to end and then computes forever; started by signals.test.ts. */
import { writeSync } from "node:fs"
import { abortOnSignals } from "../src/base/signals/abort-on-signals.ts"

abortOnSignals({ afterSignalMs: 300, afterInputMs: 300 })
// Waits first, because the threads of abortOnSignals start only while the event loop runs.
setTimeout(() => {
  writeSync(1, "busy\n")
  for (;;);
}, 200)
