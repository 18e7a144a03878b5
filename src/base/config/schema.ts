import { isAbsolute, resolve } from "node:path"
import * as z from "zod/mini"
import { AmanError } from "../errors.ts"
import { homeDir } from "../paths.ts"
import type { Form } from "./setting-form.ts"
import { SETTINGS, type SettingKey } from "./settings.ts"

/** A value, and where it was written: "--workers", "AMAN_WORKERS" or "/home/me/.config/aman/config.yaml:3". */
export type Written = { readonly value: unknown; readonly where: string }

/** Parses the written value of a setting. Throws USAGE with the place and the expected form. */
export function checkSetting(key: SettingKey, { value, where }: Written): unknown {
  const form: Form = SETTINGS[key]
  const result = schemaOf(form).safeParse(value)
  if (result.success) return result.data
  const name = where.startsWith("-") || where.startsWith("AMAN_") ? where : `${where}: ${key}`
  // An address may contain a password, so it must not be in the message.
  const isAddress = form.form === "address" || (form.form === "list" && form.of === "addresses")
  const actual = isAddress ? "" : `, not ${JSON.stringify(value)}`
  throw new AmanError("USAGE", `${name} must be ${expected(form)}${actual}`)
}

/** Describes a valid value; the text completes a sentence that begins with "must be". */
export function expected(form: Form): string {
  switch (form.form) {
    case "whole":
      return `a whole number from ${form.min} to ${form.max}`
    case "size":
      return `a size from ${showSize(form.min)} to ${showSize(form.max)}, such as 512MB`
    case "time":
      return `a time from ${form.min}ms to ${form.max / 1000}s, such as 500ms or 30s`
    case "switch":
      return "true or false"
    case "choice":
      return `one of ${form.choices.join(", ")}`
    case "text":
      return "a text of one line"
    case "address":
      return "an address such as http://localhost:11434"
    case "folder":
      return form.isAbsolute ? 'an absolute folder ("~/" is the home folder)' : "a folder"
    case "location":
      return 'project, user, or an absolute folder ("~/" is the home folder)'
    case "list":
      return LISTS[form.of ?? "patterns"].expected
  }
}

function schemaOf(form: Form): z.ZodMiniType<unknown> {
  switch (form.form) {
    case "whole":
      return z.pipe(z.transform(numberOf), z.int().check(z.gte(form.min), z.lte(form.max)))
    case "size":
      return z.pipe(z.transform(parseBytes), z.int().check(z.gte(form.min), z.lte(form.max)))
    case "time":
      return z.pipe(z.transform(millisecondsOf), z.number().check(z.gte(form.min), z.lte(form.max)))
    case "switch":
      return z.pipe(z.transform(switchOf), z.boolean())
    case "choice":
      return z.pipe(z.transform(lowerCase), z.enum([...form.choices]))
    case "text":
      return z.string().check(z.regex(/^[^\p{Cc}]*$/u), z.maxLength(200))
    case "address":
      // This check is rough: the client that uses the address knows all its forms.
      return z
        .string()
        .check(
          z.regex(/^(?:https?:\/\/|(?![a-z\d+.-]*:\/\/))[^\s\p{Cc}/]+(?:\/[^\s\p{Cc}]*)?$/iu),
          z.maxLength(2000),
        )
    case "folder":
      return z.pipe(
        z.string().check(z.minLength(1), z.regex(form.isAbsolute ? /^(?:[/\\~]|[A-Za-z]:)/ : /./)),
        z.transform((path) => resolve(withHome(path))),
      )
    case "location":
      return z.pipe(z.transform(locationOf), z.string())
    case "list":
      return z.pipe(
        z.transform(listOf),
        z.array(z.string().check(z.minLength(1), z.regex(LISTS[form.of ?? "patterns"].item))),
      )
  }
}

function lowerCase(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value
}

function numberOf(value: unknown): unknown {
  return typeof value === "string" && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value
}

function parseBytes(value: unknown): unknown {
  if (typeof value !== "string") return value
  try {
    return parseSize(value)
  } catch {
    return null
  }
}

const MILLISECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  min: 60_000,
  m: 60_000,
  h: 3_600_000,
}

function millisecondsOf(value: unknown): unknown {
  if (typeof value !== "string") return null
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)\s*$/.exec(value) ?? []
  return unit === undefined ? null : Number(number) * MILLISECONDS[unit]!
}

function switchOf(value: unknown): unknown {
  if (value === "true" || value === "1" || value === "yes" || value === "on") return true
  if (value === "false" || value === "0" || value === "no" || value === "off") return false
  return value
}

// Refuses passwords, so that they are not stored in files or shown in messages. Cloning checks the rest of the address.
const NO_PASSWORD = /^(?![^/]*(?:\/\/)?[^/@]*:[^/@]*@)/

const LISTS = {
  patterns: { item: /./s, expected: "a list of patterns" },
  paths: { item: /./s, expected: "a list of paths" },
  addresses: { item: NO_PASSWORD, expected: "a list of addresses without passwords" },
  commands: { item: /^[\w+#-]+=\s*\S/, expected: "a list of commands, each as LANGUAGE=COMMAND" },
  permissions: {
    item: /^(?:[/\\]|[A-Za-z]:).*=[^=/\\]+$/,
    expected: "a list of permissions, each as FOLDER=NAME",
  },
  names: { item: /^[\w.[\]:-]+$/, expected: "a list of host names, without scheme and path" },
} as const

function withHome(path: string): string {
  return path.startsWith("~/") && homeDir() !== "" ? resolve(homeDir(), path.slice(2)) : path
}

function locationOf(value: unknown): unknown {
  if (value === "project" || value === "user") return value
  if (typeof value !== "string") return null
  const path = withHome(value)
  return isAbsolute(path) ? path : null
}

/** The items of a list in a variable or flag, where they are separated by commas. */
function listOf(value: unknown): unknown {
  if (typeof value !== "string") return value
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
}

function showSize(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${bytes / 1024 ** power} ${["bytes", "KiB", "MiB", "GiB", "TiB"][power]}`
}

const KILO = 1000
const KIBI = 1024

// As usual, "MB" means 1,000 × 1,000 bytes; "MiB" and a plain "M" mean 1,024 × 1,024.
const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["b", 1],
  ...["k", "m", "g", "t"].flatMap((letter, i): [string, number][] => [
    [letter, KIBI ** (i + 1)],
    [`${letter}ib`, KIBI ** (i + 1)],
    [`${letter}b`, KILO ** (i + 1)],
  ]),
])

/**
 * The number of bytes in "512MB", "2GiB", "1.5 g" or "1048576". Throws USAGE for anything else; `what` names the value
 * in the message.
 */
export function parseSize(text: string, what = "size"): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text)
  const unit = match ? UNITS.get(match[2]!.toLowerCase()) : undefined
  const bytes = match && unit ? Math.floor(Number(match[1]) * unit) : Number.NaN
  if (!Number.isSafeInteger(bytes)) {
    throw new AmanError("USAGE", `${what} is not a size: ${JSON.stringify(text)}`, {
      hint: 'write a number with a unit, such as "512MB" or "2GiB"',
    })
  }
  return bytes
}
