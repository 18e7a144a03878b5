/*
 * Divides a question among the nodes of a team. `divideAmong` groups the repositories by the node that holds them;
 * `RemoteNode` runs the two steps of a search on another node; `callNode` sends one request with a pass and a
 * deadline. `announceNode` and `holderOf` say which nodes live and which of them holds a repository.
 */

import { createHmac, timingSafeEqual } from "node:crypto"
import type {
  OtherNode,
  Part,
  PartAnswer,
  PartKind,
  Repository,
  RepositoryFile,
  RepositorySearch,
  RequestOf,
  StatisticsAnswer,
  Verb,
} from "../../../src/ask/index.ts"
import {
  AmanError,
  type ErrorCode,
  readBounded,
  type SearchRequest,
  type SearchResult,
  sha256,
} from "../../../src/base/index.ts"
import type { IndexSize, SharedScale } from "../../../src/search/index.ts"
import type { Principal } from "../catalogue/access.ts"
import type { Catalogue } from "../catalogue/catalogue.ts"

export const NODE_PATH = "/v1/node"

/** A request from one node to another: a whole question, or one of the two steps of a search (see search.ts in app/repositories). */
export type NodeCall =
  | WholeQuestion
  | EachCall
  | { readonly call: "figures" }
  | {
      readonly call: "ask"
      readonly question: string
      readonly repositories: readonly string[]
      readonly request: SearchRequest
      readonly words: readonly bigint[] | null
      readonly withinMs: number
    }
  | {
      readonly call: "best"
      readonly question: string
      readonly shared: SharedScale["scale"]
      /**
       * Ids of the asked repositories that answer, in the order of all, each with its value of `SharedScale.isAlike`.
       */
      readonly answering: readonly (readonly [id: string, isAlike: boolean])[]
      readonly limit: number
    }

/** Questions that each of these repositories answers by itself; the answer is a list of ids with their answers. */
export type EachCall = {
  readonly call: "each"
  readonly repositories: readonly string[]
  readonly part: Part
  readonly withinMs: number
}

export type WholeQuestion = {
  readonly call: Verb
  readonly wanted: string
  readonly request: RequestOf<Verb>
}

export type AskedThere = {
  readonly id: string
  readonly answer: Omit<StatisticsAnswer, "here"> | null
  readonly without: IndexSize | null
  readonly notices: readonly string[]
}

export type BestThere = {
  readonly id: string
  readonly path: string
  readonly sum: number
  /** Absent if the node runs a version before this field existed. */
  readonly sumAsCode?: number | null
  readonly result: SearchResult | null
}

/** Time in ms before the deadline of a question by which another node has to answer. */
const MARGIN_MS = 500

const CHECK_MS = 500

/**
 * Data for the requests of one question to other nodes, which have to answer before `deadline` (by performance.now()).
 */
export type NodeRequestContext = {
  readonly who: Principal
  readonly key: Uint8Array
  readonly deadline: number
  /** The live nodes at this moment. */
  readonly nodes: () => readonly LiveNode[]
}

/** Groups the repositories by the node that holds them. `self`: id of this node. */
export function divideAmong(
  repositories: readonly Repository[],
  self: string,
  line: NodeRequestContext,
): { readonly here: readonly Repository[]; readonly elsewhere: readonly OtherNode[] } {
  const nodes = line.nodes()
  const groups = Map.groupBy(repositories, ({ id }) => holderOf(id, nodes))
  const here = [...groups].filter(([node]) => node === null || node.id === self).flatMap(([, group]) => group)
  const elsewhere = [...groups].flatMap(([node, group]) =>
    node === null || node.id === self ? [] : [new RemoteNode(node, group, line)],
  )
  return { here, elsewhere }
}

class RemoteNode implements OtherNode {
  readonly repositories: readonly Repository[]
  readonly #node: LiveNode
  readonly #line: NodeRequestContext
  readonly #question = crypto.randomUUID()

  constructor(node: LiveNode, repositories: readonly Repository[], line: NodeRequestContext) {
    this.#node = node
    this.repositories = repositories
    this.#line = line
  }

  async ask(
    request: SearchRequest,
    words: readonly bigint[] | null,
  ): Promise<readonly RepositorySearch[] | null> {
    const call = { call: "ask", question: this.#question, request, words, ...this.#scope() } as const
    const found = (await callNode(this.#node, call, this.#line)) as readonly AskedThere[] | "late" | null
    if (found === null) return null
    const byId = new Map(found === "late" ? [] : found.map((each) => [each.id, each]))
    return this.repositories.map((repository): RepositorySearch => {
      const each = byId.get(repository.id)
      const { notices, without, answer } = each ?? {
        ...{ notices: [this.#silent(repository)], without: null, answer: null },
      }
      return { ...{ repository, notices, without }, answer: answer && { ...answer, here: null } }
    })
  }

  async best(
    answering: readonly RepositorySearch[],
    shared: SharedScale,
    limit: number,
  ): Promise<RepositoryFile[] | null> {
    const places = new Map(answering.map(({ repository }, source) => [repository.id, { repository, source }]))
    const own = this.repositories.filter(({ id }) => places.has(id))
    if (own.length === 0) return []
    const call = {
      ...({ call: "best", question: this.#question, shared: shared.scale, limit } as const),
      answering: own.map(({ id }) => [id, shared.isAlike[places.get(id)!.source]!] as const),
    }
    const found = (await callNode(this.#node, call, this.#line)) as readonly BestThere[] | "late" | null
    if (found === null || found === "late") return null
    return found.map(({ id, path, sum, sumAsCode = null, result }) => ({
      ...places.get(id)!,
      ...{ path, sum, sumAsCode, show: () => result },
    }))
  }

  async each<Kind extends PartKind>(part: Part<Kind>): Promise<ReadonlyMap<string, PartAnswer<Kind>> | null> {
    const found = await callNode(this.#node, { call: "each", part, ...this.#scope() }, this.#line)
    if (found === null) return null
    const byId = new Map(found === "late" ? [] : (found as readonly [string, PartAnswer<Kind>][]))
    return new Map(this.repositories.map((each) => [each.id, byId.get(each.id) ?? this.#silent(each)]))
  }

  #scope(): { readonly repositories: readonly string[]; readonly withinMs: number } {
    const withinMs = Math.max(0, this.#line.deadline - performance.now() - MARGIN_MS)
    return { repositories: this.repositories.map(({ id }) => id), withinMs }
  }

  #silent({ name }: Repository): string {
    return `${name} was not asked: node ${this.#node.name} did not answer in time; try again`
  }
}

/**
 * The node's answer; null if the node cannot be reached or is no longer live, and "late" after the deadline. Throws an
 * error that the caller of the question has caused.
 */
export async function callNode(node: LiveNode, call: NodeCall, line: NodeRequestContext): Promise<unknown> {
  const body = toWire(call)
  const aborted = new AbortController()
  const timer = setTimeout(() => aborted.abort("late"), Math.max(0, line.deadline - performance.now()))
  const check = setInterval(() => {
    if (!line.nodes().some(({ id }) => id === node.id)) aborted.abort("gone")
  }, CHECK_MS)
  try {
    const response = await fetch(`${node.url}${NODE_PATH}`, {
      ...{ method: "POST", body, signal: aborted.signal, redirect: "error" },
      headers: { authorization: `Node ${makePass(line.who, body, line.key, Date.now())}` },
    })
    const text = (await readBounded(response.body, MAX_ANSWER_BYTES))?.toString()
    if (text === undefined) return null
    if (response.ok) return fromWire(text)
    const { error } = JSON.parse(text) as { error?: WireError }
    if (error?.code === undefined || !CALLERS.has(error.code)) return null
    throw errorOf(error)
  } catch (error) {
    if (error instanceof AmanError) throw error
    return aborted.signal.reason === "late" ? "late" : null
  } finally {
    clearTimeout(timer)
    clearInterval(check)
  }
}

/** Max bytes of another node's answer: parts of answers about all repositories. */
const MAX_ANSWER_BYTES = 64 << 20

type WireError = {
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string | undefined
  readonly is_unknown_name?: boolean | undefined
}

function errorOf({ code, message, hint, is_unknown_name }: WireError): AmanError {
  return new AmanError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(is_unknown_name === true ? { isUnknownName: true } : {}),
  })
}

/** Codes of errors caused by the question itself, which any node would answer in the same way. */
const CALLERS: ReadonlySet<ErrorCode> = new Set(["USAGE", "NOT_FOUND", "OUTSIDE_ROOT", "NOT_TEXT"])

/** Converts a value to text for another node: JSON that also keeps sets, 64-bit numbers, typed arrays and our errors. */
export function toWire(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === "bigint") return { $: "bigint", of: each.toString() }
    if (each instanceof Set) return { $: "set", of: [...each] }
    if (each instanceof AmanError) {
      const { code, message, hint, isUnknownName: is_unknown_name } = each
      return { $: "error", of: { code, message, hint, is_unknown_name } }
    }
    if (each instanceof Float64Array) return { $: "f64", of: [...each] }
    return each
  })
}

/** Converts text from `toWire` back to its value. Throws SyntaxError for any other text. */
export function fromWire(text: string): unknown {
  return JSON.parse(text, (_, each: unknown) => {
    if (typeof each !== "object" || each === null || !("$" in each) || !("of" in each)) return each
    if (each.$ === "bigint") return BigInt(each.of as string)
    if (each.$ === "error") return errorOf(each.of as WireError)
    if (each.$ === "set") return new Set(each.of as unknown[])
    return each.$ === "f64" ? Float64Array.from(each.of as number[]) : each
  })
}

/** A query node that this one can reach; `isLocal`: a process of this node. */
export type LiveNode = {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly isLocal?: boolean
}

/** Where a node is reached. */
export type NodeAddress = {
  /** By all nodes; null if only the processes of this node reach it. */
  readonly url: string | null
  /** By the processes of this node, which share this id; null if `url` is for them, too. */
  readonly local: string | null
  readonly group: string
}

/** Seconds after which a node that does not renew its entry counts as gone. */
const ALIVE_S = 3

/** Seconds after which the entry of such a node is removed. */
const FORGOTTEN_S = 3600

/**
 * Adds a query node to the catalogue or renews its entry, and returns all live nodes of the same version that it can reach,
 * this one included.
 */
export async function announceNode(
  catalogue: Catalogue,
  node: NodeAddress & { readonly id: string; readonly name: string; readonly version: string },
): Promise<LiveNode[]> {
  const { id, name, url, local, group, version } = node
  return catalogue.transaction(async (sql) => {
    await sql`
      INSERT INTO aman.nodes (id, role, name, url, version, process_group, local_url)
      VALUES (${id}, 'query', ${name}, ${url}, ${version}, ${group}, ${local})
      ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()`
    await sql`DELETE FROM aman.nodes WHERE seen_at < now() - make_interval(secs => ${FORGOTTEN_S})`
    return sql<LiveNode[]>`
      SELECT id, name, coalesce(CASE WHEN process_group = ${group} THEN local_url END, url) AS url,
        process_group = ${group} AS "isLocal"
      FROM aman.nodes
      WHERE role = 'query' AND (url IS NOT NULL OR process_group = ${group}) AND version = ${version}
        AND seen_at > now() - make_interval(secs => ${ALIVE_S})
      ORDER BY id`
  })
}

export async function removeNode(catalogue: Catalogue, id: string): Promise<void> {
  await catalogue.run((sql) => sql`DELETE FROM aman.nodes WHERE id = ${id}`)
}

/**
 * The node that holds a repository, by rendezvous hashing (Thaler and Ravishankar 1998): when a node comes or goes, only
 * its own repositories move. By names, so that a node that starts again finds its repositories on its disk; nodes of one
 * name are told apart by their ids. Null without nodes.
 */
export function holderOf(repositoryId: string, nodes: readonly LiveNode[]): LiveNode | null {
  const known = holders.get(nodes) ?? new Map<string, LiveNode | null>()
  holders.set(nodes, known)
  let best = known.get(repositoryId) ?? null
  if (best !== null) return best
  let highest = ""
  for (const node of nodes) {
    const [byName, byId] = [node.name, node.id].map((key) => sha256(`${key}/${repositoryId}`))
    const weight = `${byName}${byId}`
    if (weight > highest) [best, highest] = [node, weight]
  }
  known.set(repositoryId, best)
  return best
}

/** Holders by repository, for lists of nodes; a question about 1,000 repositories would take 4,000 hashes. */
const holders = new WeakMap<readonly LiveNode[], Map<string, LiveNode | null>>()

/** Lifetime in ms; long enough for clocks that differ a little. */
const VALID_MS = 60_000

/**
 * A credential with which a node sends one request body to another node on behalf of a principal. It is made with the
 * key that all nodes share, so that a person's token is never passed on.
 */
export function makePass({ id, name }: Principal, body: string, key: Uint8Array, nowMs: number): string {
  const claims = Buffer.from(JSON.stringify({ id, name, until: nowMs + VALID_MS })).toString("base64url")
  return `${claims}.${macOf(claims, body, key).toString("base64url")}`
}

/** The principal; null if the pass is wrong, expired or for another body. */
export function readPass(pass: string, body: string, key: Uint8Array, nowMs: number): Principal | null {
  const [claims = "", mac = ""] = pass.split(".")
  const [found, right] = [Buffer.from(mac, "base64url"), macOf(claims, body, key)]
  if (found.length !== right.length || !timingSafeEqual(found, right)) return null
  const { id, name, until } = JSON.parse(Buffer.from(claims, "base64url").toString()) as PassClaims
  return until < nowMs ? null : { id, name }
}

type PassClaims = Principal & { readonly until: number }

function macOf(claims: string, body: string, key: Uint8Array): Buffer {
  return createHmac("sha256", key)
    .update(`aman node 1\n${claims}\n${sha256(body)}`)
    .digest()
}

/**
 * Searches whose first step was made and whose second was not. A search ends after `keptMs` if the second step is not
 * requested.
 */
export class HalfDoneSearches {
  readonly #keptMs: number
  readonly #onEnd: () => void
  readonly #searches = new Map<
    string,
    { asked: readonly RepositorySearch[]; timer: ReturnType<typeof setTimeout> }
  >()

  /** `onEnd` is called once for each search, when it ends. */
  constructor(keptMs: number, onEnd: () => void) {
    this.#keptMs = keptMs
    this.#onEnd = onEnd
  }

  set(question: string, asked: readonly RepositorySearch[]): void {
    this.#searches.set(question, { asked, timer: setTimeout(() => this.end(question), this.#keptMs) })
  }

  /** The repositories of a search that waits for its second step; empty if the search has ended or never existed. */
  get(question: string): readonly RepositorySearch[] {
    return this.#searches.get(question)?.asked ?? []
  }

  end(question: string): void {
    const search = this.#searches.get(question)
    if (search === undefined) return
    clearTimeout(search.timer)
    this.#searches.delete(question)
    this.#onEnd()
  }
}
