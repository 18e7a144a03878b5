import { hookSpeedTable } from "./hook-speed.ts"
import { codeThresholdTable, noteThresholdTable } from "./hook-thresholds.ts"
import { lacksCorpus, type Section } from "./section.ts"

/** Measures how long hooks take, and how often they return text when they should and when they should not. */
export const hooksSection: Section = {
  name: "hooks",
  lacks: lacksCorpus,
  async run(bench) {
    return [hookSpeedTable(bench), await noteThresholdTable(bench), codeThresholdTable(bench)]
  },
}
