/*
 * `aman team VERB`: for users (status, login, logout, repos), for administrators (add, remove, sync, grant, withdraw,
 * token, people, who, dismiss, revoke, purge, audit, permit) and for operators (worker, serve, up). The first part declares the flags
 * and the verbs that take them; then each verb is one function.
 */

import { AmanError, isLoopback, LOG_LEVELS, log } from "../../src/base/index.ts"
import {
  bytes,
  type Command,
  EXIT,
  type Flag,
  type FlagValues,
  type Input,
  numberFlag,
  plural,
  printableLine,
  standardInput,
  subcommand,
} from "../../src/doors/index.ts"
import { fingerprint, loadTeamClient } from "../../src/index/index.ts"
import { loadIds, loadTeamCopy } from "../../src/memory/index.ts"
import type { Catalogue, RoleKind } from "./catalogue/catalogue.ts"
import type { OidcOptions } from "./node/oidc.ts"

const USUAL_PORT = 7480
const USUAL_CACHE_GIB = 20
const USUAL_POLL_S = 300

const LOG_FORMS = ["text", "json"] as const
/** Max value of --drain in seconds: draining must end before the process is killed (DRAINING in app/signals). */
const MAX_DRAIN_S = 60

const MAX_PROCESSES = 64
const USUAL_DEADLINE_S = 20
/**
 * Max value of the time limit of a question in seconds; less than the time that a stopping node gives its open
 * requests.
 */
const MAX_DEADLINE_S = 25

const FLAGS = flagsForVerbs([
  {
    name: "database",
    value: "URL",
    help: "The team's PostgreSQL database (better: AMAN_TEAM_DATABASE, which others cannot see)",
    verbs:
      "add remove sync repos grant withdraw token people who dismiss revoke purge audit permit worker serve up",
  },
  {
    name: "blobs",
    value: "PLACE",
    help: "Shared folder or s3://BUCKET/PREFIX for the indexes (AMAN_TEAM_BLOBS; default: the database)",
    verbs: "worker serve",
  },
  {
    name: "name",
    value: "NAME",
    help: "Name of this worker or node (default: the host's)",
    verbs: "worker serve",
  },
  { name: "once", help: "End when no repository is waiting; exit code 3 if one failed", verbs: "worker" },
  {
    name: "poll",
    value: "SECONDS",
    help: `Check each repository for new commits this often (default: ${USUAL_POLL_S})`,
    verbs: "worker",
  },
  { name: "host", value: "HOST", help: "Address to listen on (default: 127.0.0.1)", verbs: "serve" },
  {
    name: "port",
    value: "PORT",
    help: `Port to listen on; 0: any (default: ${USUAL_PORT})`,
    verbs: "serve up",
  },
  {
    name: "processes",
    value: "N",
    help: "Processes that divide the repositories (default: one for each core, and for each GiB of memory)",
    verbs: "serve",
  },
  { name: "cert", value: "FILE", help: "Certificate for https, with --key", verbs: "serve" },
  { name: "key", value: "FILE", help: "Private key of the certificate", verbs: "serve" },
  {
    name: "advertise",
    value: "URL",
    help: "Address at which other nodes reach this one, to share the work (AMAN_TEAM_NODE_URL)",
    verbs: "serve",
  },
  { name: "behind-proxy", help: "Other machines connect through a proxy that encrypts", verbs: "serve" },
  {
    name: "oidc-issuer",
    value: "URL",
    help: "Accept tokens (JWT) of this identity provider (AMAN_TEAM_OIDC_ISSUER)",
    verbs: "serve",
  },
  {
    name: "oidc-audience",
    value: "NAME",
    multiple: true,
    help: "Audience that its tokens must name (AMAN_TEAM_OIDC_AUDIENCE)",
    verbs: "serve",
  },
  {
    name: "oidc-keys",
    value: "URL|FILE",
    help: "Address (jwks_uri) or file of its key set (AMAN_TEAM_OIDC_KEYS)",
    verbs: "serve",
  },
  {
    name: "oidc-principal",
    value: "CLAIM",
    help: "Claim with a person's name (AMAN_TEAM_OIDC_PRINCIPAL; default: sub)",
    verbs: "serve",
  },
  {
    name: "oidc-teams",
    value: "CLAIM",
    help: "Claim with the names of a person's teams (AMAN_TEAM_OIDC_TEAMS; default: none)",
    verbs: "serve",
  },
  {
    name: "drain",
    value: "SECONDS",
    help: "After SIGTERM, answer new requests for this long while /health says draining (default: 0)",
    verbs: "serve",
  },
  {
    name: "deadline",
    value: "SECONDS",
    help: `Answer without the repositories that were not searched by then (default: ${USUAL_DEADLINE_S})`,
    verbs: "serve",
  },
  {
    name: "log",
    value: "FORM",
    choices: LOG_FORMS,
    help: "Form of the log on stderr: text, or json with every request and job (default: text)",
    verbs: "worker serve",
  },
  {
    name: "cache",
    value: "GIB",
    help: `Disk space for indexes in GiB (default: ${USUAL_CACHE_GIB})`,
    verbs: "serve",
  },
  {
    name: "team",
    value: "NAME",
    multiple: true,
    help: "Put the owner of the token into this team",
    verbs: "token",
  },
  { name: "days", value: "N", help: "The token expires after N days (default: never)", verbs: "token" },
  { name: "limit", short: "n", value: "N", help: "Show the newest N entries (default: 50)", verbs: "audit" },
  {
    name: "branch",
    value: "PATTERN",
    multiple: true,
    help: "Index these branches beside the default one, new ones too; * stands for any characters",
    verbs: "add",
  },
  {
    name: "from",
    value: "LIST",
    help: "Add all of a list: a file, - for standard input, or github:OWNER, gitlab:GROUP, gitea:https://HOST/OWNER",
    verbs: "add",
  },
  {
    name: "exclude",
    value: "PATTERN",
    multiple: true,
    help: "Leave out names of the list that match; * stands for any characters",
    verbs: "add",
  },
  { name: "unchecked", help: "Add it although this machine cannot reach it; a worker may", verbs: "add" },
])

/** Flags for the verbs that each names, separated by blanks; the help of a flag is the same for all its verbs. */
function flagsForVerbs(all: readonly (Omit<Flag, "verbs"> & { readonly verbs: string })[]): Flag[] {
  return all.map((flag) => ({ ...flag, verbs: { [flag.verbs]: flag.help } }))
}

export const teamCommand: Command = {
  usage: "[status | login URL | logout | repos | add URL | worker | serve | …]",
  details: `The list of repositories is in a PostgreSQL database. Workers index the repositories, and servers answer questions
about them; each person gets answers about the repositories that one of their teams may read. A person needs the address of a
server and a token: aman team login, then aman search --team '*' WORDS. Verbs other than status, login and logout are for
administrators, who can reach the database. docs/team.md explains the set-up.`,
  verbs: [
    ["status", "The server that you are logged in to, and what you can read there"],
    ["login URL", "Log in to a team's server; the token is read from stdin"],
    ["logout", "Forget the server and the token"],
    ["repos", "All repositories of the team and their state"],
    ["add URL", "Add a repository, or all of a list (--from), and have them indexed"],
    ["remove NAME", "Remove a repository and its index"],
    ["sync [NAME...]", "Have repositories indexed now; all without a name"],
    [
      "grant TEAM NAME...",
      "Let a team read repositories; * stands for any characters, also of names added later",
    ],
    ["withdraw TEAM NAME...", "Take the right to read repositories away from a team"],
    ["token PERSON", "Make a token for a person or a program, and print it once"],
    ["people", "Persons and programs, their teams and valid tokens"],
    ["who PERSON", "What a person can read, and by which teams"],
    ["dismiss PERSON TEAM", "Take a person out of a team"],
    ["revoke ID", "Revoke a token by its id, or all of a person"],
    ["purge ID...", "Erase shared memories from the server and from everybody's copies"],
    ["audit", "Who changed what, and who was refused what"],
    ["permit KIND ROLE", "Let a database role run workers or nodes, and nothing else"],
    ["worker", "Index what is waiting, until Ctrl-C"],
    ["serve", "Answer questions over HTTP, and browsers with a page, until Ctrl-C"],
    ["up", "A worker and a server on this machine, to try it, until Ctrl-C"],
  ],
  flags: FLAGS,
  examples: [
    { line: "aman team add https://github.com/owner/name", note: "with AMAN_TEAM_DATABASE set" },
    { line: "aman team add https://github.com/owner/name --branch 'release/*'", note: "its releases, too" },
    { line: "aman team add --from github:owner --exclude '*-archive'", note: "all of an organisation" },
    { line: "aman team grant developers github.com/owner/name", note: "who may read it" },
    { line: "aman team grant developers 'github.com/owner/*'", note: "all of them, those added later too" },
    { line: "aman team up", note: "a worker and a server, to try it on this machine" },
    { line: "aman team token ada --team developers", note: "a token for Ada" },
    { line: "aman team status --json", note: "on Ada's machine: the server, and what she can read" },
    { line: "aman team repos --json", note: "state, commit and error of every repository" },
    { line: "aman team sync github.com/owner/name", note: "check it now" },
    { line: "aman team remove github.com/owner/name", note: "and delete its index" },
    { line: "aman team withdraw developers github.com/owner/name", note: "end a right at once" },
    { line: "aman team people --json", note: "who is in which team, and has which tokens" },
    { line: "aman team who ada", note: "what she can read" },
    { line: "aman team dismiss ada developers", note: "Ada leaves the team" },
    { line: "aman team revoke ada", note: "all tokens of Ada; or one by its id" },
    { line: "aman team audit --limit 200 --json", note: "changes and denied accesses, newest first" },
    { line: "aman team permit node aman_node", note: "AMAN_TEAM_DATABASE of nodes may name this role" },
    { line: "aman team worker --once", note: "index what is waiting" },
    { line: "aman team serve --port 7480", note: "answer questions" },
    { line: "aman team login https://aman.example.com < token.txt", note: "on Ada's machine" },
    { line: "aman grep --team '*' 'retry\\w+' -t go", note: "every line that matches in all of them" },
    { line: "aman search --team '*' retry back-off", note: "search everything that Ada may read" },
  ],
  async run(input) {
    const { name, words } = subcommand(input, WORDS, "status", teamCommand.examples)
    return VERBS[name](input, words)
  },
}

/** Number of words that each verb takes. */
const WORDS = {
  status: 0,
  login: 1,
  logout: 0,
  repos: 0,
  add: "any",
  remove: 1,
  sync: "any",
  grant: "any",
  withdraw: "any",
  token: 1,
  people: 0,
  who: 1,
  dismiss: "any",
  revoke: 1,
  purge: "any",
  audit: 0,
  permit: "any",
  worker: 0,
  serve: 0,
  up: 0,
} as const

type Verb = (input: Input, words: readonly string[]) => Promise<number>

const VERBS = {
  status: async ({ flags, output }) => {
    const { TeamClient, teamLogin, changedKey } = await loadTeamClient()
    const login = teamLogin()
    const client = new TeamClient(login)
    const [{ version, principal, key }, repositories] = await Promise.all([
      client.status(),
      client.repositories(),
    ])
    if (login.key !== undefined && login.key !== key)
      output.remark(`${changedKey(login.url, login.key, key).message}\n`)
    if (flags.has("json")) await output.json({ url: login.url, version, principal, key, repositories })
    else {
      const lines = repositories.map(({ repository, commit, error }) =>
        printableLine(
          `  ${repository}  ${commit.slice(0, 10)}${error === null ? "" : `  not updated: ${error}`}`,
        ),
      )
      const head = `${login.url} (aman ${version}), as ${principal}; repositories you can read: ${repositories.length}`
      const signing = `its signing key: ${fingerprint(key)}`
      await output.write([printableLine(head), signing, ...lines, ""].join("\n"))
    }
    return EXIT.ok
  },
  login: async ({ flags, output, signal }, [url]) => {
    const { logIn } = await loadTeamClient()
    const { removeCopy } = await loadTeamCopy()
    if (output.isRemarkTerminal && process.stdin.isTTY) output.remark("token, then Ctrl-D: ")
    const token = await standardInput(signal)
    // Another user may have been logged in on this machine, whose copy of the team's memory contains entries that this
    // user may not see.
    const { principal, repositories, key } = await onceListening(url!, () => logIn(url!, token, removeCopy))
    if (flags.has("json")) await output.json({ url, principal, repositories, key })
    else if (!flags.has("quiet"))
      await output.write(
        `logged in as ${printableLine(principal)}; repositories you can read: ${repositories}
the server signs indexes with the key ${fingerprint(key)}; aman index takes them only with this key\n`,
      )
    return EXIT.ok
  },
  logout: async ({ flags, output }) => {
    const { logOut } = await loadTeamClient()
    const { removeCopy } = await loadTeamCopy()
    removeCopy()
    const isDone = logOut()
    if (flags.has("json")) await output.json({ logged_out: isDone })
    else if (!flags.has("quiet")) await output.write(isDone ? "logged out\n" : "you were not logged in\n")
    return EXIT.ok
  },
  repos: (input) =>
    administer(input, async (catalogue) => {
      const { listRepositories } = await import("./catalogue/repositories.ts")
      const repositories = await listRepositories(catalogue)
      // Those that need an administrator come last, where a terminal shows the end of a long list.
      const isFailed = ({ state }: (typeof repositories)[number]) => state === "failed"
      const inOrder = repositories.toSorted((a, b) => Number(isFailed(a)) - Number(isFailed(b)))
      const lines = inOrder.map(
        ({ repository, state, commit, files, bytes: size, error, place, progress, left_branches }) => {
          const published = commit === null ? "" : `  ${commit.slice(0, 10)}  ${files} files  ${bytes(size)}`
          const read = progress === null ? "" : ` (${Math.floor(progress * 100)} % of the files)`
          const at = place === null ? read : ` (place ${place})`
          const left = left_branches === 0 ? "" : `  ${plural(left_branches, "matching branch")} left out`
          return `${repository}  ${state}${at}${published}${left}${error === null ? "" : `  ${error}`}`
        },
      )
      return {
        json: { repositories },
        text:
          lines.length === 0 ? ["no repositories yet: aman team add URL"] : [...lines, totals(repositories)],
      }
    }),
  add: (input, [url, ...others]) =>
    administer(input, async (catalogue, who) => {
      const { addListed, addOne } = await import("./add-repositories.ts")
      const [{ cwd, signal, flags }, from] = [input, input.flags.text("from")]
      const shared = { cwd, signal, patterns: flags.all("branch") }
      if ((url === undefined) === (from === undefined) || others.length > 0)
        throw new AmanError("USAGE", "add takes one address, or a list with --from", {
          hint: "for example: aman team add https://github.com/owner/name; aman team add --from github:owner",
        })
      if (from !== undefined)
        return await addListed(catalogue, who, { ...shared, from, excluded: flags.all("exclude") })
      return await addOne(catalogue, who, url!, { ...shared, isUnchecked: flags.has("unchecked") })
    }),
  remove: (input, [name]) =>
    administer(input, async (catalogue, who) => {
      const { removeRepository } = await import("./catalogue/repositories.ts")
      await removeRepository(catalogue, who, name!)
      return { json: { removed: name }, text: [`removed ${name}`] }
    }),
  sync: (input, names) =>
    administer(input, async (catalogue) => {
      const { requestUpdates } = await import("./catalogue/repositories.ts")
      const count = await requestUpdates(catalogue, names)
      return { json: { wanted: count }, text: [`to be indexed: ${count}`] }
    }),
  grant: (input, words) => changeGrants(input, words, false),
  withdraw: (input, words) => changeGrants(input, words, true),
  token: (input, [principal]) =>
    administer(input, async (catalogue, who) => {
      const { makeToken } = await import("./catalogue/access.ts")
      const days = numberFlag(input.flags, "days", 1, 3650) ?? null
      const made = await makeToken(catalogue, who, {
        principal: principal!,
        teams: input.flags.all("team"),
        days,
      })
      // The token alone goes to stdout, so that it can be piped; it is never shown again.
      input.output.remark(`token ${made.id} for ${principal}, shown only now\n`)
      return { json: made, text: [made.token] }
    }),
  people: (input) =>
    administer(input, async (catalogue) => {
      const { listPeople } = await import("./catalogue/access.ts")
      const people = await listPeople(catalogue)
      const lines = people.map(({ person, teams, tokens }) => {
        const ids = tokens.map(({ id, expires_at: at }) =>
          at === null ? id : `${id} until ${at.slice(0, 10)}`,
        )
        return `${person}  teams: ${teams.join(", ") || "none"}  tokens: ${ids.join(", ") || "none"}`
      })
      return { json: { people }, text: lines.length === 0 ? ["nobody yet: aman team token PERSON"] : lines }
    }),
  who: (input, [name]) =>
    administer(input, async (catalogue) => {
      const { readerNamed } = await import("./catalogue/access.ts")
      const found = await readerNamed(catalogue, name!)
      const nameOf = (team: string) =>
        found.claimed.includes(team) ? `${team} (by the identity provider)` : team
      const head = `${name} is in ${found.teams.map(nameOf).join(", ") || "no team"} and can read ${found.repositories.length === 0 ? "no repository" : `${plural(found.repositories.length, "repository")}:`}`
      const rows = found.repositories.map(
        ({ repository, teams }) => `  ${repository}  by ${teams.join(", ")}`,
      )
      return { json: found, text: [head, ...rows] }
    }),
  dismiss: (input, [person, team, ...others]) => {
    if (person === undefined || team === undefined || others.length > 0)
      throw new AmanError("USAGE", "dismiss takes a person and a team", {
        hint: "for example: aman team dismiss ada developers",
      })
    return administer(input, async (catalogue, who) => {
      const { removeMember } = await import("./catalogue/access.ts")
      await removeMember(catalogue, who, person, team)
      return { json: { person, team, dismissed: true }, text: [`${person} is no longer in ${team}`] }
    })
  },
  revoke: (input, [name]) =>
    administer(input, async (catalogue, who) => {
      const { revokeTokens } = await import("./catalogue/access.ts")
      const count = await revokeTokens(catalogue, who, name!)
      return { json: { revoked: count }, text: [`revoked ${plural(count, "token")}`] }
    }),
  purge: (input, ids) =>
    administer(input, async (catalogue, who) => {
      const { purgeShared } = await import("./catalogue/memory.ts")
      const { createIds } = await loadIds()
      const nextId = createIds(Date.now)
      for (const subject of ids)
        await purgeShared(catalogue, who, { id: nextId(), at: new Date().toISOString(), subject })
      return { json: { purged: ids }, text: [`purged: ${ids.length}`] }
    }),
  audit: (input) =>
    administer(input, async (catalogue) => {
      const { auditLog } = await import("./catalogue/catalogue.ts")
      const entries = await auditLog(catalogue, numberFlag(input.flags, "limit", 1, 10_000) ?? 50)
      return {
        json: { entries },
        text: entries.map(({ at, who, action, about }) => `${at}  ${who}  ${action}  ${about}`),
      }
    }),
  permit: (input, [kind, role, ...others]) => {
    if (!isRoleKind(kind) || role === undefined || others.length > 0)
      throw new AmanError("USAGE", "permit takes a kind, worker or node, and a role of the database", {
        hint: "for example: aman team permit node aman_node",
      })
    return administer(input, async (catalogue, who) => {
      const { permitRole } = await import("./catalogue/catalogue.ts")
      const { signingKey } = await import("./catalogue/revisions.ts")
      // The role of a node may not make the key.
      await signingKey(catalogue)
      await permitRole(catalogue, who, kind, role)
      return { json: { role, kind }, text: [`${role} may run a ${kind}`] }
    })
  },
  worker: async (input) => {
    const { runWorker } = await import("./worker.ts")
    const { flags, output, signal } = input
    setLog(flags)
    endWithParent()
    let hasFailed = false
    await runWorker({
      ...databaseAndBlobs(input),
      isOnce: flags.has("once"),
      pollS: numberFlag(flags, "poll", 1, 1_000_000) ?? USUAL_POLL_S,
      signal,
      onEvent: (event) => {
        log.info("job", event)
        hasFailed ||= event.outcome === "failed"
        if (flags.has("quiet")) return
        const { repository, outcome, commit, files, stored, took_ms, error } = event
        const what =
          commit === null ? (error ?? "") : `${commit.slice(0, 10)} ${files} files, ${stored} new segments`
        const line = `${outcome} ${repository}${outcome === "started" ? "" : ` ${what} (${took_ms} ms)`}`
        void output.write(flags.has("json") ? `${JSON.stringify(event)}\n` : `${printableLine(line)}\n`)
      },
    })
    return flags.has("once") && hasFailed ? EXIT.failure : EXIT.ok
  },
  serve: async (input) => {
    const { flags, output, signal } = input
    const { serveTeam } = await import("./serve-team.ts")
    setLog(flags)
    endWithParent()
    const [cert, key] = [flags.text("cert"), flags.text("key")]
    if ((cert === undefined) !== (key === undefined))
      throw new AmanError("USAGE", "--cert and --key belong together", { hint: "give both, or neither" })
    const { PROCESS_OPTIONS, usualProcesses } = await import("./node/processes.ts")
    const given = process.env[PROCESS_OPTIONS]
    const onListening = (url: string) => {
      void output.write(
        flags.has("json")
          ? `${JSON.stringify({ url })}\n`
          : `listening at ${url}, with a page for browsers\n`,
      )
    }
    if (given !== undefined && process.send !== undefined) {
      await serveTeam({ ...JSON.parse(given), onListening, isFurther: true }, signal)
      return EXIT.ok
    }
    await serveTeam(
      {
        ...databaseAndBlobs(input),
        isFurther: false,
        processes: numberFlag(flags, "processes", 1, MAX_PROCESSES) ?? usualProcesses(),
        group: crypto.randomUUID(),
        advertised: flags.text("advertise") ?? (process.env["AMAN_TEAM_NODE_URL"] || null),
        host: flags.text("host") ?? "127.0.0.1",
        port: numberFlag(flags, "port", 0, 65_535) ?? USUAL_PORT,
        tls: cert === undefined || key === undefined ? null : { cert, key },
        isBehindProxy: flags.has("behind-proxy"),
        webhookSecret: process.env["AMAN_TEAM_WEBHOOK_SECRET"] || null,
        metricsToken: process.env["AMAN_TEAM_METRICS_TOKEN"] || null,
        oidc: oidcOf(flags),
        drainS: numberFlag(flags, "drain", 0, MAX_DRAIN_S) ?? 0,
        deadlineMs: (numberFlag(flags, "deadline", 1, MAX_DEADLINE_S) ?? USUAL_DEADLINE_S) * 1000,
        maxCacheBytes: (numberFlag(flags, "cache", 1, 100_000) ?? USUAL_CACHE_GIB) * 2 ** 30,
        onListening,
      },
      signal,
    )
    return EXIT.ok
  },
  up: async (input) => {
    const { runUp } = await import("./up.ts")
    const { flags, output, signal } = input
    const port = numberFlag(flags, "port", 0, 65_535) ?? USUAL_PORT
    const isHeard = !flags.has("quiet")
    const database = databaseOf(input)
    // Opened here first, so that a mistake is said once and not by each process.
    const { Catalogue } = await import("./catalogue/catalogue.ts")
    await (await Catalogue.open(database))[Symbol.asyncDispose]()
    return await runUp({
      env: { ...process.env, AMAN_TEAM_DATABASE: database },
      port,
      signal,
      say: (line) => {
        if (isHeard) void output.write(`${printableLine(line)}\n`)
      },
    })
  },
} satisfies Record<string, Verb>

/** The result of `act`. A server on this machine that does not listen yet is asked again for some seconds. */
async function onceListening<T>(url: string, act: () => Promise<T>): Promise<T> {
  const until = performance.now() + START_MS
  for (;;) {
    try {
      return await act()
    } catch (error) {
      const isStarting =
        error instanceof AmanError && /ConnectionRefused|Unable to connect/i.test(error.message)
      if (!isStarting || !isLoopback(new URL(url).hostname) || performance.now() > until) throw error
      await Bun.sleep(200)
    }
  }
}

/** Time in ms in which a server starts. */
const START_MS = 5000

function changeGrants(
  input: Input,
  [team, ...repositories]: readonly string[],
  isWithdrawal: boolean,
): Promise<number> {
  if (team === undefined || repositories.length === 0)
    throw new AmanError("USAGE", "a team and at least one repository are needed", {
      hint: "for example: aman team grant developers github.com/owner/name",
    })
  return administer(input, async (catalogue, who) => {
    const { grant } = await import("./catalogue/access.ts")
    const { concerned, patterns } = await grant(catalogue, who, { team, repositories, isWithdrawal })
    const verb = isWithdrawal ? "can no longer read" : "can read"
    const isLasting = !isWithdrawal && repositories.some((name) => name.includes("*"))
    const kept = isWithdrawal && patterns.length > 0
    const later = isLasting
      ? ", and those that are added later and match"
      : kept
        ? `; it is still granted what is added later and matches ${patterns.join(" or ")}`
        : ""
    const names = concerned.length > 5 ? plural(concerned.length, "repository") : concerned.join(", ")
    return {
      json: { team, repositories: concerned, granted: !isWithdrawal, patterns },
      text: [`${team} ${verb} ${names || "no repository yet"}${later}`],
    }
  })
}

function isRoleKind(word: string | undefined): word is RoleKind {
  return word === "worker" || word === "node"
}

/** How many repositories there are in each state. */
function totals(repositories: readonly { readonly state: string }[]): string {
  const counts = [...Map.groupBy(repositories, ({ state }) => state)].map(
    ([state, { length }]) => `${length} ${state}`,
  )
  return `${plural(repositories.length, "repository")}: ${counts.sort().join(", ")}`
}

/** What an administrator's action prints. */
export type Outcome = { readonly json: unknown; readonly text: readonly string[] }

/** Opens the catalogue for one administrative action and prints the result of the action. */
async function administer(
  input: Input,
  act: (catalogue: Catalogue, who: string) => Promise<Outcome>,
): Promise<number> {
  const { Catalogue } = await import("./catalogue/catalogue.ts")
  const { flags, output } = input
  await using catalogue = await Catalogue.open(databaseOf(input))
  const who = `administrator ${process.env["USER"] ?? process.env["USERNAME"] ?? "unknown"}`
  const { json, text } = await act(catalogue, who)
  if (flags.has("json")) await output.json(json)
  else await output.write(text.map((line) => `${printableLine(line)}\n`).join(""))
  return EXIT.ok
}

/** The identity provider from the flags; null if none is given. Throws USAGE if some of its flags are missing. */
function oidcOf(flags: FlagValues): OidcOptions | null {
  const given = (name: string) =>
    flags.text(`oidc-${name}`) ?? (process.env[`AMAN_TEAM_OIDC_${name.toUpperCase()}`] || null)
  const [issuer, keys, audience] = [given("issuer"), given("keys"), given("audience")]
  if (issuer === null && keys === null && audience === null) return null
  if (issuer === null || keys === null || audience === null)
    throw new AmanError("USAGE", "OIDC needs an issuer, an audience and a key set", {
      hint: "give --oidc-issuer, --oidc-audience and --oidc-keys, or their variables",
    })
  const listed = flags.all("oidc-audience")
  const audiences = listed.length > 0 ? listed : audience.split(",").map((each) => each.trim())
  const [principalClaim, teamsClaim] = [given("principal") ?? "sub", given("teams")]
  return { issuer, audiences, keys, principalClaim, teamsClaim }
}

/** Configures the log of a worker or a node from its flags; the settings of indexed projects do not affect it. */
function setLog(flags: FlagValues): void {
  log.isJson = flags.text("log") === "json"
  const given = flags.text("log-level") ?? process.env["AMAN_LOG"]
  const level = LOG_LEVELS.find((each) => each === given)
  log.level = level ?? (log.isJson || flags.has("verbose") ? "info" : "warn")
  // Suppresses the messages of Bun's database client, which prints each attempt to reconnect; the worker logs it
  // once.
  console.warn = (...words) => log.debug("warning", { text: words.join(" ") })
}

/** Ends a process of `aman team up` when that one is gone. */
function endWithParent(): void {
  if (process.send !== undefined) process.on("disconnect", () => process.kill(process.pid, "SIGTERM"))
}

function databaseAndBlobs(input: Input) {
  const { flags } = input
  return {
    database: databaseOf(input),
    blobs: flags.text("blobs") ?? process.env["AMAN_TEAM_BLOBS"] ?? "",
    name: flags.text("name"),
  }
}

function databaseOf({ flags }: Input): string {
  const url = flags.text("database") ?? process.env["AMAN_TEAM_DATABASE"]
  if (url !== undefined && url !== "") return url
  throw new AmanError("USAGE", "the team's database is not known", {
    hint: "set AMAN_TEAM_DATABASE to postgres://USER:PASSWORD@HOST:5432/DATABASE",
  })
}
