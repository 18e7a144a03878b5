type Rule = readonly [command: RegExp, call: (...groups: string[]) => string]

const call = (tool: string, args: object) => `${tool} ${JSON.stringify(args)}`

/** A word as a shell would have it: in quotation marks, bare, or cut off where it was long. */
function typed(word: string): string {
  try {
    return String(JSON.parse(word))
  } catch {
    return word
  }
}

/** Commands that hints name, and the call that does the same. */
const RULES: readonly Rule[] = [
  [/run: aman index\b(?! --force)/g, () => "the server indexes by itself: ask again shortly, or call status"],
  [/\baman status\b/g, () => "status"],
  [/\baman projects list\b/g, () => "projects"],
  [
    /run: aman repos sync ([^\s;,"]+)/g,
    (repository) => `run: ${call("repositories", { action: "sync", repository })}`,
  ],
  [/\baman repos sync\b/g, () => call("repositories", { action: "sync" })],
  [/\baman symbol (\w+)/g, (name) => call("symbol", { name })],
  [
    /\baman symbol --outline ("(?:[^"\\]|\\.)*"|[^\s;,"]+)/g,
    (path) => call("symbol", { relation: "outline", path: typed(path) }),
  ],
  [/\baman search ("(?:[^"\\]|\\.)*")/g, (query) => call("search", { query: typed(query) })],
  [/\baman memory (list|topics|entities|projects)\b/g, (action) => call("knowledge", { action })],
  [/\baman memory restore ([^\s;,"]+)/g, (id) => call("knowledge", { action: "restore", ids: [id] })],
  [/\baman memory (?:import) ([^\s;,"]+)/g, (path) => call("knowledge", { action: "import", path })],
  [
    /\baman memory related ("(?:[^"\\]|\\.)*")/g,
    (entity) => call("knowledge", { action: "related", entity: typed(entity) }),
  ],
  [
    /\baman memory merge ("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")/g,
    (from, into) => call("knowledge", { action: "merge", from: typed(from), into: typed(into) }),
  ],
  [
    /\baman memory rename ("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")/g,
    (topic, to) => call("knowledge", { action: "rename", topic: typed(topic), to: typed(to) }),
  ],
  [/\bwith --force\b/g, () => "with force: true"],
  [/\bsee aman memory --help for what is read\b/g, () => "give format: jsonl or markdown"],
]

/** A hint as an agent can follow it: calls in the place of commands. What only a person can do stays a command. */
export function agentHint(hint: string): string {
  return RULES.reduce(
    (text, [command, render]) =>
      text.replace(command, (_, ...rest: string[]) => render(...rest.slice(0, -2))),
    hint,
  )
}
