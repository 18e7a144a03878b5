/** A request of a person, and the tool call that an agent should make for it. */
export type Intent = {
  readonly ask: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

const intent = (tool: string, ask: string, args: Intent["args"] = {}): Intent => ({ ask, tool, args })

export const INTENTS: readonly Intent[] = [
  intent("context", "Prepare me for the task: limit refunds to thirty days", {
    query: "limit refunds to thirty days",
    include_tests: true,
  }),
  intent("context", "I begin to work on login: which files does the task concern, within 3000 tokens?", {
    query: "login",
    max_tokens: 3000,
    max_files: 5,
  }),
  intent("context", "Give me everything for this task in one call, without memories", {
    query: "rename Ledger",
    include_memories: false,
  }),
  intent("search", "Where are failed logins limited?", {
    query: "where are failed logins limited",
    content: "code",
  }),
  intent("search", "Find the class that parses the configuration", {
    query: "parse configuration",
    kind: "class",
  }),
  intent("search", "List every occurrence of TODO(alice) in the code", {
    query: "TODO(alice)",
    mode: "exact",
  }),
  intent("search", "Grep for console.log or console.error", {
    query: "console\\.(log|error)",
    mode: "regex",
  }),
  intent("search", "Find code similar to src/app.ts line 120", { like: "src/app.ts:120" }),
  intent("search", "What does the documentation say about refunds?", { query: "refunds", content: "docs" }),
  intent("search", "How does another repository retry requests? Search the repository payments", {
    query: "retry requests",
    repository: "payments",
  }),
  intent("search", "Find error handling in Go files below billing", {
    query: "error handling",
    language: "go",
    path: "billing",
  }),
  intent("read", "Read the file web/login.ts", { path: "web/login.ts" }),
  intent("read", "Read lines 10 to 40 of src/main.ts", { path: "src/main.ts", start_line: 10, end_line: 40 }),
  intent("read", "Read go.mod of the other repository payments", { path: "go.mod", repository: "payments" }),
  intent("symbol", "Who are the callers of RefundPayment?", { name: "RefundPayment", relation: "callers" }),
  intent("symbol", "Who uses the symbol createRetry in other repositories?", {
    ...{ name: "createRetry", relation: "references", repository: "*" },
  }),
  intent("symbol", "What may break if I rename limitAttempts?", {
    name: "limitAttempts",
    relation: "impact",
  }),
  intent("symbol", "Show all references to the symbol Ledger", { name: "Ledger", relation: "references" }),
  intent("symbol", "Which types are implementations of Store?", {
    name: "Store",
    relation: "implementations",
  }),
  intent("symbol", "Show the outline of web/login.ts", { path: "web/login.ts", relation: "outline" }),
  intent("symbol", "Which candidates does nothing use any more?", { relation: "unused" }),
  intent("symbol", "Which tests reach what I changed since HEAD? impact of the diff", { diff: "HEAD" }),
  intent("status", "Is the index complete? Are files skipped or missing?"),
  intent("status", "Is indexing still going on?"),
  intent("remember", "Remember the decision to keep amounts in cents", {
    text: "Amounts are kept in cents, because floats lose some.",
    topic: "billing",
    kind: "decision",
  }),
  intent("remember", "Keep in mind for later sessions: the tests need Docker, that is a trap", {
    text: "The tests need Docker.",
    tags: "trap",
  }),
  intent("remember", "Remember these two facts, unless they are known", {
    entries: [{ text: "One." }, { text: "Two." }],
    if_new: true,
  }),
  intent("remember", "Remember that Dana owns billing now, under the key owner:billing", {
    text: "Dana owns billing.",
    key: "owner:billing",
  }),
  intent("recall", "What was decided about refunds before?", { query: "refunds", kind: "decision" }),
  intent("recall", "What do you remember about how we release?", {
    query: "how we release",
    detail: "brief",
  }),
  intent("recall", "What did Dana say about the migration before June?", {
    query: "migration",
    author: "Dana",
    before: "2026-06-01",
  }),
  intent("recall", "What held in March, as was known then?", { query: "", as_of: "2026-03-15" }),
  intent("knowledge", "Show the history of this entry", { action: "history", id: "e1" }),
  intent("knowledge", "Delete the entry e1", { action: "delete", ids: "e1" }),
  intent("knowledge", "Which entries are stale because their code has changed?", { action: "stale" }),
  intent("knowledge", "Export all entries to a file", { action: "export", path: "notes.jsonl" }),
  intent("knowledge", "Merge two topics, auth into login", { action: "merge", from: "auth", into: "login" }),
  intent("knowledge", "This entry no longer holds: invalidate it", {
    action: "invalidate",
    id: "e1",
    reason: "Replaced",
  }),
  intent("knowledge", "Relate the entities api and billing", {
    action: "relate",
    from: "api",
    to: "billing",
    type: "depends on",
  }),
  intent("knowledge", "Show me all that is known of the subject billing, with contradictions and gaps", {
    action: "reconstruct",
    query: "billing",
  }),
  intent("log", "Why is sendMail as it is: which commits and pull requests changed it?", {
    what: "sendMail",
  }),
  intent("log", "Which commits changed this file?", { what: "src/mail.ts", limit: 3 }),
  intent("projects", "What is the place, size and age of the index of this project?"),
  intent("projects", "Remove the index of this project", { action: "remove", root: "/home/me/project" }),
  intent("repositories", "Which other git repositories are cloned, and how fresh are they?"),
  intent("repositories", "Ask the remotes of payments for news: sync now", {
    action: "sync",
    repository: "payments",
  }),
]

/**
 * Sets of argument names that several tools accept, with those tools. For these, the agent must choose by the
 * question and the tools' descriptions. Any other set of arguments fits one tool only.
 */
export const SHARED: Readonly<Record<string, readonly string[]>> = {
  "": ["context", "recall", "remember", "projects", "repositories", "search", "status", "symbol"],
  path: ["context", "read", "search", "symbol"],
  "path,repository": ["context", "read", "search", "symbol"],
  "query,repository": ["context", "recall", "search"],
}
