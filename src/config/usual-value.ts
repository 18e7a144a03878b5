import type { Setting } from "./setting-form.ts"

/** What a setting is where nobody set it, as it would be written; empty: nothing. */
export function usualValue(setting: Setting): string {
  const value = setting.value()
  if (setting.form === "size") return bytes(Number(value))
  if (setting.form === "time") return time(Number(value))
  return Array.isArray(value) ? value.join(", ") : String(value ?? "")
}

function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB"]
  const power = Math.min(3, Math.floor(Math.log2(value) / 10))
  return `${value / 1024 ** power}${units[power]}`
}

function time(ms: number): string {
  if (ms % 60_000 === 0 && ms > 0) return `${ms / 60_000}min`
  return ms % 1000 === 0 && ms > 0 ? `${ms / 1000}s` : `${ms}ms`
}
