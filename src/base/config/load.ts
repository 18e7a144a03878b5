import type { LogLevel } from "../log.ts"
import { userDataDir } from "../paths.ts"
import { chooseIndexDir } from "./index-dir.ts"
import { type ConfigFlags, type Environment, resolveSettings } from "./resolve.ts"
import type { SettingValues } from "./settings.ts"

export type Config = {
  readonly paths: {
    /**
     * Patterns as in .gitignore. A file is included if one of them matches the file or one of its parent folders. If
     * the list is empty, every file is included.
     */
    readonly include: readonly string[]
    readonly exclude: readonly string[]
  }
  readonly index: {
    /** Absolute path of the folder of the project's index. */
    readonly dir: string
    /** True when the user named this folder for this index alone (AMAN_INDEX_DIR). */
    readonly isNamed: boolean
    /** Maximum size of a file in bytes; larger files are skipped. */
    readonly maxFileBytes: number
    readonly maxFiles: number
    readonly documentSeconds: number
    /** Number of parsing threads. */
    readonly workers: number
  }
  readonly search: {
    /** Maximum number of files in an answer. */
    readonly limit: number
  }
  readonly embeddings: {
    readonly provider: SettingValues["embeddings.provider"]
    readonly encoder: SettingValues["embeddings.encoder"]
    /** Name of the model; "" for the best one that is installed. */
    readonly model: string
    /** Number of dimensions; 0 for as many as the model has. */
    readonly dimensions: number
    /** Address of the server; "" for the default of the provider. Only the user can set it, not a project. */
    readonly host: string
    /** Command of the provider "program". Only the user can set it. */
    readonly program: string
    readonly programMemoryBytes: number
  }
  readonly rerank: {
    readonly provider: "none" | "server" | "program"
    readonly host: string
    readonly model: string
    /** Command of the provider "program". Only the user can set it. */
    readonly program: string
    readonly timeoutMs: number
    readonly programMemoryBytes: number
  }
  readonly searcher: {
    /** Command of the search program; "" if there is none. Only the user can set it. */
    readonly program: string
    readonly timeoutMs: number
    readonly programMemoryBytes: number
  }
  readonly chunker: {
    /** Command of the chunker program; "" if there is none. Only the user can set it. */
    readonly program: string
    /** Extensions of the files that it divides, with or without a dot; empty for all files. */
    readonly extensions: readonly string[]
    readonly timeoutMs: number
    readonly programMemoryBytes: number
  }
  readonly knowledge: {
    readonly embedder: SettingValues["knowledge.embedder"]
  }
  readonly performance: {
    /** Memory limit of the whole process in bytes. */
    readonly memoryLimitBytes: number
    /** How long, in ms, a burst of changes must pause before a server indexes it. */
    readonly debounceMs: number
  }
  readonly symbols: {
    /** Paths below the root of the project where a SCIP index may be. Only the user can set them. */
    readonly indexes: readonly string[]
    /** Commands of language servers, each as LANGUAGE=COMMAND. Only the user can set them, not a project. */
    readonly servers: readonly string[]
    /** Language servers that may run although they may run code of the project, each as FOLDER=NAME; set by the user. */
    readonly allowedServers: readonly string[]
    readonly mayAgentsAsk: boolean
    readonly serverTimeoutMs: number
    readonly serverMemoryBytes: number
  }
  readonly hooks: {
    /** False if hooks must print nothing. */
    readonly isEnabled: boolean
    /** Maximum number of tokens of the output when a session begins. */
    readonly sessionTokens: number
    readonly deadlineMs: number
  }
  readonly ui: {
    readonly editor: SettingValues["ui.editor"]
    /** True if MCP servers record the calls of agents (ask/project/recorded-calls.ts). */
    readonly recordsCalls: boolean
  }
  readonly log: { readonly level: LogLevel }
  /** For each setting in the project's file that only the user may set, and that is not used: a message. */
  readonly ignored: readonly string[]
}

/** Reads the configuration of a project. Throws USAGE for an invalid value, and says where it was written. */
export function loadConfig(root: string, flags: ConfigFlags = {}, env: Environment = process.env): Config {
  const { values, ignored } = resolveSettings(root, flags, env)
  return Object.freeze({ ...toConfig(values, indexDirOf(root, values, env)), ignored })
}

/** The index folder of a project, according to the settings that decide it. */
export function indexDirOf(root: string, values: SettingValues, env: Environment): string {
  return values["index.dir"] || chooseIndexDir(root, values["index.location"], userDataDir(env))
}

function toConfig(values: SettingValues, dir: string): Omit<Config, "ignored"> {
  const memoryLimitBytes = values["performance.memory_limit"]
  return {
    paths: { include: values["paths.include"], exclude: values["paths.exclude"] },
    index: {
      dir,
      isNamed: Boolean(values["index.dir"]),
      maxFileBytes: Math.min(values["index.max_file_size"], largestFileWithin(memoryLimitBytes)),
      maxFiles: values["index.max_files"],
      documentSeconds: values["index.document_seconds"],
      workers: Math.min(values["index.workers"], workersWithin(memoryLimitBytes)),
    },
    search: { limit: values["search.limit"] },
    embeddings: {
      provider: values["embeddings.provider"],
      encoder: values["embeddings.encoder"],
      model: values["embeddings.model"],
      dimensions: values["embeddings.dimensions"],
      host: values["embeddings.host"],
      program: values["embeddings.program"],
      programMemoryBytes: values["programs.memory_limit"],
    },
    rerank: {
      provider: rerankerOf(values),
      host: values["rerank.host"],
      model: values["rerank.model"],
      program: values["rerank.program"],
      timeoutMs: values["programs.timeout"],
      programMemoryBytes: values["programs.memory_limit"],
    },
    searcher: {
      program: values["searcher.program"],
      timeoutMs: values["programs.timeout"],
      programMemoryBytes: values["programs.memory_limit"],
    },
    chunker: {
      program: values["chunker.program"],
      extensions: values["chunker.extensions"],
      timeoutMs: values["programs.timeout"],
      programMemoryBytes: values["programs.memory_limit"],
    },
    knowledge: { embedder: values["knowledge.embedder"] },
    performance: {
      memoryLimitBytes,
      debounceMs: values["performance.debounce"],
    },
    symbols: {
      indexes: values["symbols.indexes"],
      servers: values["symbols.servers"],
      allowedServers: values["symbols.allowed_servers"],
      mayAgentsAsk: values["symbols.ask_servers"],
      serverTimeoutMs: values["symbols.server_timeout"],
      serverMemoryBytes: values["programs.memory_limit"],
    },
    hooks: {
      isEnabled: values["hooks.enabled"],
      sessionTokens: values["hooks.session_tokens"],
      deadlineMs: values["hooks.deadline"],
    },
    ui: { editor: values["ui.editor"], recordsCalls: values["ui.record_calls"] },
    log: { level: values["log.level"] },
  }
}

/** A program that the user named has precedence over a server. */
function rerankerOf(values: SettingValues): Config["rerank"]["provider"] {
  if (values["rerank.program"] !== "") return "program"
  return values["rerank.host"] === "" ? "none" : "server"
}

const MIB = 1024 ** 2
// Measured on Linux x64 with the first index of one Python file of 2 to 32 MiB and one token per chunk: the peak memory
// was at most 200 MB plus 65 times the size of the file; other texts need less. A file below 1 MiB is always allowed.
const BASE_BYTES = 160 * MIB
const BYTES_PER_FILE_BYTE = 96

// Resident memory of an index run: of the process itself, and of each parsing thread with ordinary files.
const PROCESS_BYTES = 90_000_000
const BYTES_PER_WORKER = 80_000_000

/** Number of parsing threads that the memory limit of the process allows; at least 1. */
function workersWithin(memoryLimitBytes: number): number {
  return Math.max(1, Math.floor((memoryLimitBytes - PROCESS_BYTES) / BYTES_PER_WORKER))
}

/** Size in bytes of the largest file that the memory limit of the process allows to be parsed. */
export function largestFileWithin(memoryLimitBytes: number): number {
  return Math.max(MIB, Math.floor((memoryLimitBytes - BASE_BYTES) / BYTES_PER_FILE_BYTE))
}
