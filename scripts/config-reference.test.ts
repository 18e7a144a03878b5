import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { SETTING_KEYS, SETTINGS } from "../src/base/config/settings.ts"
import { configurationReference, REFERENCE } from "./config-reference.ts"

test("docs/configuration.md matches the settings (else: npm run generate)", () => {
  expect(readFileSync(REFERENCE, "utf8")).toBe(configurationReference())
})

test("has a row for every setting, with its variable", () => {
  const rows = configurationReference().split("\n")
  for (const key of SETTING_KEYS) {
    const [row, ...more] = rows.filter((line) => line.startsWith(`| \`${key}\` |`))
    expect(more).toEqual([])
    expect(row).toContain(SETTINGS[key].env)
    expect(row!.split(/(?<!\\)\|/)).toHaveLength(8)
  }
})
