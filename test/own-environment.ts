import { join } from "node:path"

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Variables that on any system say where a person's settings, data and caches are, or that change how git and
 * aman work.
 */
const PERSONAL =
  /^(?:AMAN_(?!BINARY$|TEST)|GIT_|XDG_|OPENAI_API_KEY$|OLLAMA_|SSH_(?:AUTH_SOCK|ASKPASS)$|CLAUDE|CODEX|CURSOR|GEMINI)/i

/**
 * The environment of a test and its children: `env` without personal variables, with every user folder below
 * `home`.
 */
export function ownEnvironment(home: string, env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && !PERSONAL.test(name))
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    ...homeVariables(home),
    GIT_CONFIG_NOSYSTEM: "1",
    // An address at which nothing listens, so that tests do not use an Ollama of this machine.
    OLLAMA_HOST: "127.0.0.1:9",
    // Tests of the encoder turn it on; in the others its work beside a server would only cost time.
    AMAN_EMBEDDINGS_ENCODER: "off",
  }
}

/** Every variable that names a folder of the user on Linux, macOS or Windows. */
export function homeVariables(home: string): Record<string, string> {
  return {
    HOME: home,
    USERPROFILE: home,
    APPDATA: join(home, "AppData", "Roaming"),
    LOCALAPPDATA: join(home, "AppData", "Local"),
    XDG_DATA_HOME: join(home, "data"),
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_CACHE_HOME: join(home, "cache"),
    XDG_STATE_HOME: join(home, "state"),
  }
}
