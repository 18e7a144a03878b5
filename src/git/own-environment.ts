type Environment = Readonly<Record<string, string | undefined>>

/**
 * What git sees of our environment when it works on a repository of ours: whatever says how the user reaches others
 * (configuration, ssh, certificates, who answers for passwords), and nothing that points it to another repository or
 * lets it print what it sends.
 */
export function ownEnvironment(env: Environment, protocols: readonly string[]): Environment {
  const own = Object.entries(env).filter(([name]) => !FOREIGN.test(name) || KEPT.test(name))
  return {
    ...Object.fromEntries(own),
    GIT_ALLOW_PROTOCOL: protocols.join(":") || "none",
    // Nobody sits in front of it.
    GIT_TERMINAL_PROMPT: "0",
    GCM_INTERACTIVE: "never",
    SSH_ASKPASS_REQUIRE: "never",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    LC_ALL: "C",
    LANGUAGE: "C",
  }
}

// A window that asks, out of the blue, would be SSH_ASKPASS's.
const FOREIGN = /^(?:(?:GIT|AMAN)_.*|SSH_ASKPASS)$/i

const KEPT =
  /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|EXEC_PATH|SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|SSL_\w+|HTTP_\w+|PROXY_\w+)$/
