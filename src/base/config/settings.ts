import { availableParallelism } from "node:os"
import { LOG_LEVELS, type LogLevel } from "../log.ts"
import { defaultMemoryLimitBytes, MIN_MEMORY_LIMIT_BYTES } from "../process/memory.ts"
import { HOOK_SETTINGS } from "./hook-settings.ts"
import type { Setting } from "./setting-form.ts"

const MIB = 1024 ** 2
const TIB = 1024 ** 4
/** Maximum size of a file. A file is decoded into one string, and this is far below the engine's limit for a string. */
const MAX_FILE_BYTES = 256 * MIB
/**
 * Maximum number of parsing threads by default. More threads only take memory, because the thread that commits cannot
 * keep up with them.
 */
const MAX_DEFAULT_WORKERS = 8

export const RECALL_EMBEDDERS = ["static", "configured"] as const
export const EDITORS = ["vscode", "cursor", "zed", "idea", "none"] as const
const ENCODER_USES = ["off", "idle", "on"] as const
export const PROVIDERS = ["auto", "static", "ollama", "openai", "program"] as const

const whole = (min: number, max: number) => ({ form: "whole", min, max }) as const

/** Every setting by its key. */
export const SETTINGS = {
  "paths.include": {
    form: "list",
    env: "AMAN_INCLUDE",
    value: () => [],
    by: "project",
    help: "Index only files that match one of these patterns (as in .gitignore); none: all files",
  },
  "paths.exclude": {
    form: "list",
    env: "AMAN_EXCLUDE",
    value: () => [],
    by: "project",
    help: "Do not index files that match one of these patterns (as in .gitignore)",
  },
  "index.location": {
    form: "location",
    env: "AMAN_INDEX_LOCATION",
    value: () => "project",
    by: "user",
    help: "Where indexes are stored: project (<root>/.aman), user (the user's data folder), or one folder for all",
  },
  "index.dir": {
    form: "folder",
    env: "AMAN_INDEX_DIR",
    value: () => "",
    by: "environment",
    help: "Folder of this one index; overrides index.location",
  },
  "index.max_file_size": {
    form: "size",
    min: 1,
    max: MAX_FILE_BYTES,
    env: "AMAN_MAX_FILE_SIZE",
    value: () => 8 * MIB,
    by: "project",
    projectMayOnlyLower: true,
    help: "Larger files are skipped, above 1 MiB also data and generated files, and files that do not fit into the memory limit",
  },
  "index.max_files": {
    ...whole(1, 10_000_000),
    env: "AMAN_MAX_FILES",
    value: () => 100_000,
    by: "project",
    projectMayOnlyLower: true,
    help: "Maximum number of indexed files",
  },
  "index.document_seconds": {
    ...whole(0, 1_000_000),
    env: "AMAN_DOCUMENT_SECONDS",
    value: () => 120,
    by: "project",
    projectMayOnlyLower: true,
    help: "Processor time in seconds that reading documents may take in one index run; further ones are skipped",
  },
  "index.workers": {
    ...whole(1, 64),
    env: "AMAN_WORKERS",
    value: () => defaultWorkers(availableParallelism()),
    by: "user",
    help: "Number of parsing threads",
  },
  "search.limit": {
    ...whole(1, 1000),
    env: "AMAN_LIMIT",
    value: () => 10,
    by: "project",
    projectMayOnlyLower: true,
    help: "Default number of files in an answer",
  },
  "embeddings.provider": {
    form: "choice",
    choices: PROVIDERS,
    env: "AMAN_EMBEDDINGS_PROVIDER",
    value: () => "static",
    by: "user",
    help: "static is built in; ollama and auto send code to Ollama (auto: if it runs on this machine); openai sends code to any compatible address; program to embeddings.program",
  },
  "embeddings.encoder": {
    form: "choice",
    choices: ENCODER_USES,
    env: "AMAN_EMBEDDINGS_ENCODER",
    value: () => "idle",
    by: "user",
    help: "Vectors of code and memories by the built-in sentence encoder, for questions in the user's words: idle computes them in a server while the machine is idle and not on battery; on also in aman index and at once",
  },
  "embeddings.model": {
    form: "text",
    env: "AMAN_EMBEDDINGS_MODEL",
    value: () => "",
    by: "user",
    help: "Model of the provider (none: the best installed one)",
  },
  "embeddings.dimensions": {
    ...whole(0, 8192),
    env: "AMAN_EMBEDDINGS_DIMENSIONS",
    value: () => 0,
    by: "user",
    help: "Dimensions of a vector (0: as many as the model gives)",
  },
  "embeddings.host": {
    form: "address",
    env: "AMAN_EMBEDDINGS_HOST",
    value: () => "",
    by: "user",
    help: "Address of the provider (none: OLLAMA_HOST, or Ollama's own default)",
  },
  "embeddings.program": {
    form: "text",
    env: "AMAN_EMBEDDINGS_PROGRAM",
    value: () => "",
    by: "user",
    help: "Command of an embedder that answers JSON lines (docs/programs.md), for the provider program",
  },
  "rerank.host": {
    form: "address",
    env: "AMAN_RERANK_HOST",
    value: () => "",
    by: "user",
    help: "Address of a server with /v1/rerank",
  },
  "rerank.model": {
    form: "text",
    env: "AMAN_RERANK_MODEL",
    value: () => "",
    by: "user",
    help: "Model of the re-ranker",
  },
  "rerank.program": {
    form: "text",
    env: "AMAN_RERANK_PROGRAM",
    value: () => "",
    by: "user",
    help: "Command of a re-ranker that answers JSON lines (docs/programs.md)",
  },
  "searcher.program": {
    form: "text",
    env: "AMAN_SEARCHER_PROGRAM",
    value: () => "",
    by: "user",
    help: "Command of a search program that answers JSON lines (docs/programs.md); its results are fused with aman's",
  },
  "chunker.program": {
    form: "text",
    env: "AMAN_CHUNKER_PROGRAM",
    value: () => "",
    by: "user",
    help: "Command of a program that divides files into chunks by JSON lines (docs/programs.md); a change indexes all files again",
  },
  "chunker.extensions": {
    form: "list",
    of: "names",
    env: "AMAN_CHUNKER_EXTENSIONS",
    value: () => [],
    by: "user",
    help: "Extensions of the files that the chunker program divides, such as sql; none: all files except notebooks and office documents",
  },
  "programs.timeout": {
    form: "time",
    min: 100,
    max: 600_000,
    env: "AMAN_PROGRAMS_TIMEOUT",
    value: () => 5000,
    by: "user",
    help: "Time limit for an answer of a re-ranker, search program or chunker program; without one aman goes on alone",
  },
  "programs.memory_limit": {
    form: "size",
    min: 16 * MIB,
    max: TIB,
    env: "AMAN_PROGRAMS_MEMORY_LIMIT",
    value: () => 4096 * MIB,
    by: "user",
    help: "Memory of a configured program or language server, beyond which it is ended (watched on Linux)",
  },
  "knowledge.embedder": {
    form: "choice",
    choices: RECALL_EMBEDDERS,
    env: "AMAN_KNOWLEDGE_EMBEDDER",
    value: () => "static",
    by: "user",
    help: "Embedder that recall uses: static is the built-in sentence encoder or table of word vectors; configured is that of embeddings.*, and memories are sent there",
  },
  "performance.memory_limit": {
    form: "size",
    min: MIN_MEMORY_LIMIT_BYTES,
    max: TIB,
    env: "AMAN_MEMORY_LIMIT",
    flag: "memory-limit",
    value: () => defaultMemoryLimitBytes(),
    by: "user",
    help: "Maximum resident memory while indexing: fewer files are read at once, and files that need more are split by lines or skipped",
  },
  "performance.debounce": {
    form: "time",
    min: 0,
    max: 3_600_000,
    env: "AMAN_DEBOUNCE",
    value: () => 500,
    by: "user",
    help: "How long a burst of changes must pause before it is indexed; a single change waits a tenth of it",
  },
  "symbols.indexes": {
    form: "list",
    of: "paths",
    env: "AMAN_SYMBOLS_INDEXES",
    value: () => [],
    by: "user",
    help: "SCIP indexes that symbol imports when they have changed, as paths below the project's root: index.scip",
  },
  "symbols.servers": {
    form: "list",
    of: "commands",
    env: "AMAN_SYMBOLS_SERVERS",
    value: () => [],
    by: "user",
    help: "Language servers for symbol --exact, as LANGUAGE=COMMAND; none: known ones that are on PATH",
  },
  "symbols.allowed_servers": {
    form: "list",
    of: "permissions",
    env: "AMAN_SYMBOLS_ALLOWED_SERVERS",
    value: () => [],
    by: "user",
    help: "Language servers that may run code of a project, each as FOLDER=NAME; the one of TypeScript 7 runs none and needs no entry",
  },
  "symbols.ask_servers": {
    form: "switch",
    env: "AMAN_SYMBOLS_ASK_SERVERS",
    value: () => false,
    by: "user",
    help: "Agents may have language servers asked, too (exact in the tool symbol)",
  },
  "symbols.server_timeout": {
    form: "time",
    min: 100,
    max: 600_000,
    env: "AMAN_SYMBOLS_SERVER_TIMEOUT",
    value: () => 30_000,
    by: "user",
    help: "Time limit for a language server, after which it is killed",
  },
  "repos.urls": {
    form: "list",
    of: "addresses",
    env: "AMAN_REPOS_URLS",
    flag: "repos-urls",
    value: () => [],
    by: "user",
    help: "Addresses of other repositories to search, as for git clone; #branch or #tag may follow",
  },
  "repos.sync_interval": {
    form: "time",
    min: 100,
    max: 7 * 24 * 3_600_000,
    env: "AMAN_REPOS_SYNC_INTERVAL",
    flag: "repos-sync-interval",
    value: () => 15 * 60_000,
    by: "user",
    help: "How often a server fetches their changes",
  },
  "repos.max_files": {
    ...whole(1, 10_000_000),
    env: "AMAN_REPOS_MAX_FILES",
    flag: "repos-max-files",
    value: () => 300_000,
    by: "user",
    help: "A repository with more files or folders is not cloned; an existing clone is kept",
  },
  "repos.max_size": {
    form: "size",
    min: 1024,
    max: 1024 ** 4,
    env: "AMAN_REPOS_MAX_SIZE",
    flag: "repos-max-size",
    value: () => 4 * 1024 ** 3,
    by: "user",
    help: "A repository is not cloned if its files, or one fetch, have more bytes; git may take a quarter of it as memory (Linux)",
  },
  "repos.max_time": {
    form: "time",
    min: 100,
    max: 24 * 3_600_000,
    env: "AMAN_REPOS_MAX_TIME",
    flag: "repos-max-time",
    value: () => 30 * 60_000,
    by: "user",
    help: "Time limit for the fetch and checkout of one repository",
  },
  "server.host": {
    form: "text",
    env: "AMAN_SERVER_HOST",
    flag: "host",
    value: () => "127.0.0.1",
    by: "user",
    help: "Address that the HTTP server listens on; any but this machine's own requires a token",
  },
  "server.port": {
    ...whole(0, 65_535),
    env: "AMAN_SERVER_PORT",
    flag: "port",
    value: () => 7473,
    by: "user",
    help: "Port of the HTTP server; 0: any free one",
  },
  "server.token_file": {
    form: "text",
    env: "AMAN_SERVER_TOKEN_FILE",
    flag: "token-file",
    value: () => "",
    by: "user",
    help: "File with the accepted tokens, one per line",
  },
  "server.allowed_hosts": {
    form: "list",
    of: "names",
    env: "AMAN_SERVER_ALLOWED_HOSTS",
    flag: "allowed-hosts",
    value: () => [],
    by: "user",
    help: "Further host names accepted in requests",
  },
  "server.allowed_origins": {
    form: "list",
    of: "names",
    env: "AMAN_SERVER_ALLOWED_ORIGINS",
    flag: "allowed-origins",
    value: () => [],
    by: "user",
    help: "Hosts whose web pages may send requests; pages of this machine always may",
  },
  "server.max_sessions": {
    ...whole(1, 10_000),
    env: "AMAN_SERVER_MAX_SESSIONS",
    flag: "max-sessions",
    value: () => 64,
    by: "user",
    help: "Maximum number of clients at the same time",
  },
  "server.session_timeout": {
    form: "time",
    min: 100,
    max: 7 * 24 * 3_600_000,
    env: "AMAN_SERVER_SESSION_TIMEOUT",
    flag: "session-timeout",
    value: () => 30 * 60_000,
    by: "user",
    help: "A client's session ends after this time without a request or an open stream",
  },
  "server.request_timeout": {
    form: "time",
    min: 100,
    max: 24 * 3_600_000,
    env: "AMAN_SERVER_REQUEST_TIMEOUT",
    flag: "request-timeout",
    value: () => 5 * 60_000,
    by: "user",
    help: "Time limit for a call; a request must arrive within 30s and this limit",
  },
  "server.rate": {
    ...whole(0, 1_000_000),
    env: "AMAN_SERVER_RATE",
    flag: "rate",
    value: () => 50,
    by: "user",
    help: "Requests per second of a client, four times as many in a burst (0: no limit)",
  },
  ...HOOK_SETTINGS,
  "ui.editor": {
    form: "choice",
    choices: EDITORS,
    env: "AMAN_UI_EDITOR",
    value: () => "vscode",
    by: "user",
    help: "Editor that the links of aman ui open: vscode, cursor, zed or idea; none shows no links",
  },
  "ui.record_calls": {
    form: "switch",
    env: "AMAN_UI_RECORD_CALLS",
    value: () => false,
    by: "user",
    help: "Servers keep a record of agents' calls on this machine, which aman ui shows; at most 30 days and 2 MB",
  },
  "log.level": {
    form: "choice",
    choices: LOG_LEVELS,
    env: "AMAN_LOG",
    flag: "log-level",
    value: () => "warn" satisfies LogLevel,
    by: "user",
    help: "Level of messages on stderr: silent, error, warn, info or debug; log files contain at least info",
  },
} as const satisfies Readonly<Record<string, Setting>>

export type SettingKey = keyof typeof SETTINGS
export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[]

type ValueOf<S> = S extends { form: "choice"; choices: readonly (infer Choice)[] }
  ? Choice
  : S extends { form: "list" }
    ? readonly string[]
    : S extends { form: "switch" }
      ? boolean
      : S extends { form: "text" | "address" | "folder" | "location" }
        ? string
        : number

export type SettingValues = { readonly [Key in SettingKey]: ValueOf<(typeof SETTINGS)[Key]> }

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key)
}

/** Default number of parsing threads on a machine with this many processors. */
export function defaultWorkers(processors: number): number {
  return Math.max(1, Math.min(MAX_DEFAULT_WORKERS, processors))
}
