import { z } from "zod"

const MAX_NAMES = 100
const MAX_NAME = 4096

/** Schema for paths, globs or names: a list, or one string, which models send as often. */
export function nameList(meaning: string) {
  const name = z.string().max(MAX_NAME)
  return z
    .union([name, z.array(name).max(MAX_NAMES)])
    .optional()
    .describe(meaning)
}
