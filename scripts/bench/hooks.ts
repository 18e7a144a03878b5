import { hookSpeedTable } from "./hook-speed.ts"
import { codeThresholdTable, noteThresholdTable } from "./hook-thresholds.ts"
import { lacksCorpus, type Section } from "./section.ts"

/** What hooks cost the agents that call them, and how often they speak where they should and where not. */
export const hooksSection: Section = {
  name: "hooks",
  lacks: lacksCorpus,
  async run(bench) {
    return [hookSpeedTable(bench), noteThresholdTable(bench), codeThresholdTable(bench)]
  },
}
