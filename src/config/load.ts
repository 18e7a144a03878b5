import { AmanError } from "../base/errors.ts"
import type { HookEvent } from "../base/hook-events.ts"
import type { LogLevel } from "../base/log.ts"
import { userDataDir } from "../base/paths.ts"
import { chooseIndexDir } from "./index-dir.ts"
import { type ConfigFlags, type Environment, resolveSettings } from "./resolve.ts"
import { SETTINGS, type SettingValues } from "./settings.ts"

export type Config = {
  readonly paths: {
    /**
     * Patterns as in .gitignore; a file or one of its parent folders must match one. Empty: everything is
     * included.
     */
    readonly include: readonly string[]
    readonly exclude: readonly string[]
  }
  readonly index: {
    /** Absolute folder of the project's index. */
    readonly dir: string
    /** True when the user named this folder for this one index. */
    readonly isNamed: boolean
    /** Larger files are skipped. */
    readonly maxFileBytes: number
    readonly maxFiles: number
    /** Number of parsing threads. */
    readonly workers: number
    /** A chunk is split above this many estimated tokens. */
    readonly chunkTokens: number
    /** Neighbouring chunks are merged up to this many tokens. */
    readonly mergeTokens: number
  }
  readonly search: {
    /** Maximum number of files in an answer. */
    readonly limit: number
    readonly rrfK: number
    /** Share of the keyword channel against the vector channel, by class of query. */
    readonly weights: {
      readonly error_code: number
      readonly identifier: number
      readonly natural: number
      readonly mixed: number
      readonly quoted: number
    }
  }
  readonly embeddings: {
    readonly provider: SettingValues["embeddings.provider"]
    /** The built-in model for code vectors. */
    readonly static: SettingValues["embeddings.static"]
    /** "": the best one installed. */
    readonly model: string
    /** 0: as many as the model gives. */
    readonly dimensions: number
    readonly batchSize: number
    /** "": the provider's own default. Only set by the user, never by a project. */
    readonly host: string
    readonly timeoutMs: number
    /** Command of the provider "program"; only set by the user. */
    readonly program: string
    readonly programMemoryBytes: number
  }
  readonly rerank: {
    readonly provider: SettingValues["rerank.provider"]
    readonly host: string
    readonly model: string
    /** Command of the provider "program"; only set by the user. */
    readonly program: string
    /** Number of results that are ordered again. */
    readonly results: number
    readonly timeoutMs: number
    readonly programMemoryBytes: number
  }
  readonly searcher: {
    /** Command of the search program, "" for none; only set by the user. */
    readonly program: string
    /** Maximum number of results that it is asked for. */
    readonly results: number
    readonly timeoutMs: number
    readonly programMemoryBytes: number
  }
  readonly knowledge: {
    /** Maximum number of entries in an answer. */
    readonly limit: number
    readonly embedder: SettingValues["knowledge.embedder"]
    /** Weights of the recall channels when they are fused. */
    readonly weights: { readonly vector: number; readonly keyword: number; readonly graph: number }
  }
  readonly performance: {
    /** Memory limit of the whole process. */
    readonly memoryLimitBytes: number
    readonly quantization: SettingValues["performance.quantization"]
    /** Number of query vectors to cache. */
    readonly cacheSize: number
    /** How long changes are gathered before a server checks them. */
    readonly debounceMs: number
  }
  readonly symbols: {
    /** Paths below the project's root at which a SCIP index may be. Only set by the user. */
    readonly indexes: readonly string[]
    /** Commands of language servers, each as LANGUAGE=COMMAND. Only set by the user, never by a project. */
    readonly servers: readonly string[]
    readonly mayAgentsAsk: boolean
    readonly serverTimeoutMs: number
    readonly serverMemoryBytes: number
  }
  readonly submodules: { readonly enabled: boolean }
  readonly hooks: {
    /** For each event, false if the hook must print nothing. */
    readonly isEnabled: Readonly<Record<HookEvent, boolean>>
    /** Maximum number of tokens per output. */
    readonly tokens: { readonly session: number; readonly prompt: number; readonly tool: number }
    /** Min score of a match, as a multiple of the measured threshold. */
    readonly threshold: number
    /** True if hooks propose entries from what a session decided. */
    readonly proposes: boolean
    readonly stopIntervalMs: number
    readonly deadlineMs: number
  }
  readonly ui: {
    readonly editor: SettingValues["ui.editor"]
    /** True if MCP servers record the calls of agents (app/project/recorded-calls.ts). */
    readonly recordsCalls: boolean
  }
  readonly log: { readonly level: LogLevel }
}

/** The configuration of a project. Throws USAGE for a wrong value, naming where it was written. */
export function loadConfig(root: string, flags: ConfigFlags = {}, env: Environment = process.env): Config {
  const { values } = resolveSettings(root, flags, env)
  return Object.freeze(toConfig(values, indexDirOf(root, values, env)))
}

/** The index folder of this project, by the settings that decide it. */
export function indexDirOf(root: string, values: SettingValues, env: Environment): string {
  return values["index.dir"] || chooseIndexDir(root, values["index.location"], userDataDir(env))
}

function toConfig(values: SettingValues, dir: string): Config {
  const memoryLimitBytes = values["performance.memory_limit"]
  const chunkTokens = values["index.chunk_tokens"]
  const mergeTokens = values["index.merge_tokens"]
  if (mergeTokens > chunkTokens) {
    throw new AmanError(
      "USAGE",
      `index.merge_tokens (${mergeTokens}) exceeds index.chunk_tokens (${chunkTokens})`,
      {
        hint: `set index.merge_tokens (${SETTINGS["index.merge_tokens"].env}) to at most index.chunk_tokens`,
      },
    )
  }
  return {
    paths: { include: values["paths.include"], exclude: values["paths.exclude"] },
    index: {
      dir,
      isNamed: Boolean(values["index.dir"]),
      maxFileBytes: Math.min(values["index.max_file_size"], largestFileWithin(memoryLimitBytes)),
      maxFiles: values["index.max_files"],
      workers: Math.min(values["index.workers"], workersWithin(memoryLimitBytes)),
      chunkTokens,
      mergeTokens,
    },
    search: {
      limit: values["search.limit"],
      rrfK: values["search.rrf_k"],
      weights: {
        error_code: values["search.weights.error_code"],
        identifier: values["search.weights.identifier"],
        natural: values["search.weights.natural"],
        mixed: values["search.weights.mixed"],
        quoted: values["search.weights.quoted"],
      },
    },
    embeddings: {
      provider: values["embeddings.provider"],
      static: values["embeddings.static"],
      model: values["embeddings.model"],
      dimensions: values["embeddings.dimensions"],
      batchSize: values["embeddings.batch_size"],
      host: values["embeddings.host"],
      timeoutMs: values["embeddings.timeout"],
      program: values["embeddings.program"],
      programMemoryBytes: values["programs.memory_limit"],
    },
    rerank: {
      provider: values["rerank.provider"],
      host: values["rerank.host"],
      model: values["rerank.model"],
      program: values["rerank.program"],
      results: values["rerank.results"],
      timeoutMs: values["rerank.timeout"],
      programMemoryBytes: values["programs.memory_limit"],
    },
    searcher: {
      program: values["searcher.program"],
      results: values["searcher.results"],
      timeoutMs: values["searcher.timeout"],
      programMemoryBytes: values["programs.memory_limit"],
    },
    knowledge: {
      limit: values["knowledge.limit"],
      embedder: values["knowledge.embedder"],
      weights: {
        vector: values["knowledge.weights.vector"],
        keyword: values["knowledge.weights.keyword"],
        graph: values["knowledge.weights.graph"],
      },
    },
    performance: {
      memoryLimitBytes,
      quantization: values["performance.quantization"],
      cacheSize: values["performance.cache_size"],
      debounceMs: values["performance.debounce"],
    },
    symbols: {
      indexes: values["symbols.indexes"],
      servers: values["symbols.servers"],
      mayAgentsAsk: values["symbols.ask_servers"],
      serverTimeoutMs: values["symbols.server_timeout"],
      serverMemoryBytes: values["symbols.server_memory"],
    },
    submodules: { enabled: values["submodules.enabled"] },
    hooks: {
      isEnabled: {
        "session-start": values["hooks.enabled"] && values["hooks.session_start"],
        "prompt-submit": values["hooks.enabled"] && values["hooks.prompt_submit"],
        "pre-tool-use": values["hooks.enabled"] && values["hooks.pre_tool_use"],
        "post-tool-use": values["hooks.enabled"] && values["hooks.post_tool_use"],
        stop: values["hooks.enabled"] && values["hooks.stop"],
        "subagent-start": values["hooks.enabled"] && values["hooks.subagent_start"],
      },
      tokens: {
        session: values["hooks.session_tokens"],
        prompt: values["hooks.prompt_tokens"],
        tool: values["hooks.tool_tokens"],
      },
      threshold: values["hooks.threshold"] / 100,
      proposes: values["hooks.propose"],
      stopIntervalMs: values["hooks.stop_interval"],
      deadlineMs: values["hooks.deadline"],
    },
    ui: { editor: values["ui.editor"], recordsCalls: values["ui.record_calls"] },
    log: { level: values["log.level"] },
  }
}

const MIB = 1024 ** 2
// Measured on Linux x64, first index of one Python file of 2 to 32 MiB with one token per chunk: peak memory of
// 200 MB and at most 65 times the file's size; other texts need less. A file below 1 MiB is always allowed.
const BASE_BYTES = 160 * MIB
const BYTES_PER_FILE_BYTE = 96

// Resident memory of an index run: the process itself, and each parsing thread with ordinary files.
const PROCESS_BYTES = 90_000_000
const BYTES_PER_WORKER = 80_000_000

/** Number of parsing threads that can work within the memory limit of the process; at least 1. */
function workersWithin(memoryLimitBytes: number): number {
  return Math.max(1, Math.floor((memoryLimitBytes - PROCESS_BYTES) / BYTES_PER_WORKER))
}

/** The largest file in bytes that can be parsed within the memory limit of the process. */
export function largestFileWithin(memoryLimitBytes: number): number {
  return Math.max(MIB, Math.floor((memoryLimitBytes - BASE_BYTES) / BYTES_PER_FILE_BYTE))
}
