import { availableParallelism } from "node:os"
import { isAbsolute, resolve } from "node:path"
import { AmanError } from "../base/errors.ts"
import { defaultMemoryLimitBytes } from "../base/memory-limit.ts"
import { userDataDir } from "../base/paths.ts"
import { DEFAULTS, defaultWorkers, QUANTIZATIONS } from "./defaults.ts"
import { chooseIndexDir } from "./index-dir.ts"
import { oneOf, size, type Written, wholeNumber } from "./settings.ts"

const MIB = 1024 ** 2
const TIB = 1024 ** 4
/** Below this not even one parser with its grammar fits. */
const LEAST_MEMORY_BYTES = 16 * MIB
/** A file is decoded into one string; this is far from the engine's limit for one. */
const LARGEST_FILE_BYTES = 256 * MIB
const MOST_TOKENS = 100_000

export type Config = {
  /** Larger files are left out. */
  readonly maxFileBytes: number
  /** A chunk is split above this many estimated tokens. */
  readonly chunkTokens: number
  /** Neighbouring chunks are merged up to this many. */
  readonly mergeTokens: number
  /** What the process as a whole may plan with. */
  readonly memoryLimitBytes: number
  readonly quantization: (typeof QUANTIZATIONS)[number]
  /** Threads that parse. */
  readonly workers: number
  /** Absolute folder of the project's index. */
  readonly indexDir: string
}

/** Values as a person writes them, on the command line or in a call; sizes may be "512MB". */
export type ConfigFlags = { readonly [Name in keyof Config]?: string | number | undefined }

const ENVIRONMENT: { readonly [Name in keyof Config]: string } = {
  maxFileBytes: "AMAN_MAX_FILE_SIZE",
  chunkTokens: "AMAN_CHUNK_TOKENS",
  mergeTokens: "AMAN_MERGE_TOKENS",
  memoryLimitBytes: "AMAN_MEMORY_LIMIT",
  quantization: "AMAN_QUANTIZATION",
  workers: "AMAN_WORKERS",
  indexDir: "AMAN_INDEX_DIR",
}

const FLAGS: { readonly [Name in keyof Config]: string } = {
  maxFileBytes: "--max-file-size",
  chunkTokens: "--chunk-tokens",
  mergeTokens: "--merge-tokens",
  memoryLimitBytes: "--memory-limit",
  quantization: "--quantization",
  workers: "--workers",
  indexDir: "--index-dir",
}

/** The one configuration of a project: defaults < AMAN_* environment < flags. Throws USAGE for a wrong value. */
export function loadConfig(
  root: string,
  flags: ConfigFlags = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const pick = <T>(name: keyof Config, read: (written: Written) => T, otherwise: () => T): T => {
    const written = find(name, flags, env)
    return written ? read(written) : otherwise()
  }
  const tokens = (written: Written) => wholeNumber(written, 1, MOST_TOKENS)
  const config: Config = {
    maxFileBytes: pick(
      "maxFileBytes",
      (w) => size(w, 1, LARGEST_FILE_BYTES),
      () => DEFAULTS.maxFileBytes,
    ),
    chunkTokens: pick("chunkTokens", tokens, () => DEFAULTS.chunkTokens),
    mergeTokens: pick("mergeTokens", tokens, () => DEFAULTS.mergeTokens),
    memoryLimitBytes: pick(
      "memoryLimitBytes",
      (w) => size(w, LEAST_MEMORY_BYTES, TIB),
      () => defaultMemoryLimitBytes(),
    ),
    quantization: pick(
      "quantization",
      (w) => oneOf(w, QUANTIZATIONS),
      () => DEFAULTS.quantization,
    ),
    workers: pick(
      "workers",
      (w) => wholeNumber(w, 1, 64),
      () => defaultWorkers(availableParallelism()),
    ),
    indexDir: pick("indexDir", absoluteFolder, () => chooseIndexDir(root, userDataDir(env))),
  }
  if (config.mergeTokens > config.chunkTokens) {
    throw new AmanError(
      "USAGE",
      `chunks cannot be merged up to ${config.mergeTokens} tokens and split above ${config.chunkTokens}`,
      { hint: `keep ${ENVIRONMENT.mergeTokens} at or below ${ENVIRONMENT.chunkTokens}` },
    )
  }
  return Object.freeze(config)
}

/** An empty variable counts as unset: it is the only way to say so in many shells and service files. */
function find(
  name: keyof Config,
  flags: ConfigFlags,
  env: Readonly<Record<string, string | undefined>>,
): Written | null {
  const flag = flags[name]
  if (flag !== undefined) return { value: flag, name: FLAGS[name] }
  const variable = env[ENVIRONMENT[name]]
  return variable ? { value: variable, name: ENVIRONMENT[name] } : null
}

function absoluteFolder({ value, name }: Written): string {
  if (typeof value !== "string" || value === "") throw new AmanError("USAGE", `${name} must name a folder`)
  return isAbsolute(value) ? value : resolve(value)
}
