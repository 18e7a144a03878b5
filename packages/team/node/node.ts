/*
 * A query node of a team. A question: 1. the repositories that the principal may read are chosen; 2. if one other
 * node holds all of them, that node answers; 3. otherwise the revisions are laid out on this node's disk, or divided
 * among the nodes; 4. the use case for other repositories answers; 5. disk space is freed while no question is
 * running. Denied requests are recorded in the audit log.
 */

import { basename, dirname, join } from "node:path"
import { LRUCache } from "lru-cache"
import {
  type AnswerOf,
  askEach,
  askRepository,
  bestHere,
  type Configured,
  chooseRepositories,
  getBlob,
  NO_OTHER_NODES,
  type OpenClone,
  type OtherNodes,
  openClone,
  type PartAnswer,
  parseAddress,
  publicKeyOf,
  type Repository,
  type RepositorySearch,
  type RequestOf,
  repositoryName,
  type Source,
  several,
  signOffer,
  sourceOf,
  type Verb,
  withNotices,
} from "../../../src/ask/index.ts"
import {
  AmanError,
  homeDir,
  log,
  machineMemoryBytes,
  messageOf,
  type SearchAnswer,
  sha256,
  version,
} from "../../../src/base/index.ts"
import {
  ALL,
  INDEX_VERSION,
  type Project,
  type PullAnswer,
  type PushAnswer,
  type PushedEntry,
  type ReadableRepository,
  type RevisionOffer,
} from "../../../src/index/index.ts"
import { grepCaller } from "../../../src/search/index.ts"
import type { LeaderLock } from "../../../src/store/index.ts"
import { type BlobStore, openBlobStore } from "../blobs/blob-store.ts"
import { claimPrincipal, lookUpToken, type Principal } from "../catalogue/access.ts"
import { Catalogue } from "../catalogue/catalogue.ts"
import { requestPushedUpdates } from "../catalogue/repositories.ts"
import {
  isHidden,
  mayReadBlob,
  type PublishedRevision,
  readable,
  revisionsOf,
  signingKey,
  unpublished,
  type WaitingRepository,
} from "../catalogue/revisions.ts"
import { NO_WORKER_S, type TeamFigures, teamFigures } from "../metrics.ts"
import { takeOwnFolder } from "../own-folder.ts"
import { pullMemory, pushMemory } from "../shared-memory.ts"
import { DenialLog, UNKNOWN } from "./denials.ts"
import { isJwt, type OidcOptions, OidcVerifier } from "./oidc.ts"
import {
  type AskedThere,
  announceNode,
  type BestThere,
  callNode,
  divideAmong,
  type EachCall,
  fromWire,
  HalfDoneSearches,
  holderOf,
  type LiveNode,
  type NodeAddress,
  type NodeCall,
  type NodeRequestContext,
  readPass,
  removeNode,
  toWire,
  type WholeQuestion,
} from "./other-nodes.ts"
import { configuredFor, repositoryOf } from "./published-repositories.ts"
import { RevisionCache } from "./revision-cache.ts"
import { TermFilters } from "./term-filters.ts"

/** Options of `aman team serve`. */
export type TeamServerOptions = NodeOptions & {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Files of a certificate and its key; null: no encryption. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** Listen without encryption where other machines can connect, because a proxy in front encrypts. */
  readonly isBehindProxy: boolean
  /** Secret of the webhooks of GitHub, GitLab and Gitea; null: none is taken. */
  readonly webhookSecret: string | null
  /** Token for `/metrics`; null: there are no metrics. */
  readonly metricsToken: string | null
  /** Seconds for which new requests are still answered after the signal to end, while `/health` says draining. */
  readonly drainS: number
  readonly onListening: (url: string) => void
  /** Address at which other nodes reach this one, once it listens; null: its own if only this machine reaches that. */
  readonly advertised: string | null
  /** Id that the processes of this node share. */
  readonly group: string
  /** True for a process that another one of the same node has started. */
  readonly isFurther: boolean
}

/** Figures for operators, who may read all names. */
export type NodeFigures = TeamFigures &
  OwnFigures & {
    readonly processes: number
    /** Number of processes that did not answer; 0 while they start. */
    readonly missing: number
    /** Free bytes on the disk with the revisions. */
    readonly freeBytes: number
  }

/** Figures of one process. */
type OwnFigures = {
  readonly cache: RevisionCache["size"]
  /** Number of open revisions. */
  readonly open: number
  /** Number of denied accesses since the start. */
  readonly denied: number
  /** Resident memory in bytes. */
  readonly resident: number
}

type NodeOptions = {
  readonly database: string
  readonly blobs: string
  readonly name?: string | undefined
  readonly maxCacheBytes: number
  /** Number of processes of this node. */
  readonly processes: number
  /** Time in ms after which a question is answered without the repositories that were not searched by then. */
  readonly deadlineMs: number
  /** The identity provider whose tokens are accepted; null: none. */
  readonly oidc: OidcOptions | null
}

/** Time for which a verified token of an identity provider is not verified again. */
const CLAIMS_MS = 60_000

type NodePlace = {
  readonly oidc: OidcVerifier | null
  readonly name: string
  readonly catalogue: Catalogue
  readonly store: BlobStore
  readonly signingKey: Buffer
  readonly deadlineMs: number
  readonly processes: number
}

/** Share of the memory of the machine, or of the container if it has less, for open repositories. */
const OPEN_SHARE = 0.25
/** Memory of an open repository of 20 files, which also takes four file descriptors. */
const OPEN_BYTES = 1.2e6
/** Repositories that the processes of a node keep open between questions: opening one takes longer than searching it. */
const MAX_OPEN = Math.min(4000, Math.max(400, Math.floor((machineMemoryBytes() * OPEN_SHARE) / OPEN_BYTES)))

const ANNOUNCE_MS = 1000

/** Max time in ms after the start of a node in which its further processes start; they are not missing before. */
const START_MS = 15_000

type NodeQuery = {
  readonly configured: Configured
  readonly open: OpenClone
  readonly nodes: OtherNodes
  readonly notices: readonly string[]
  /** Repositories of the question without a published revision. */
  readonly waiting: readonly WaitingRepository[]
}

/** Folders of the repositories that are ready, by id. */
type RepositoryFolders = Map<string, { readonly clone: string; readonly index: string }>

/**
 * Answers questions about the team's repositories from published revisions. Every question is asked by a principal;
 * repositories that the principal may not read are neither opened, nor counted, nor named.
 */
export class TeamNode implements AsyncDisposable {
  readonly #catalogue: Catalogue
  readonly #store: BlobStore
  readonly #signingKey: Buffer
  readonly #denials: DenialLog
  readonly #oidc: OidcVerifier | null
  /** Principals of verified tokens, by the hash of the token. */
  readonly #claimed = new LRUCache<string, Principal>({ max: 10_000 })
  readonly #cache: RevisionCache
  readonly #lead: LeaderLock
  /** Open projects by the path of their index folder, whose name is the manifest's hash. */
  readonly #open = new Map<string, Project>()
  readonly #id = crypto.randomUUID()
  readonly #name: string
  /** Live nodes with an address, this one included. */
  #nodes: readonly LiveNode[] = []
  #announcing: ReturnType<typeof setInterval> | null = null
  /** Searches whose first step other nodes have asked for. */
  readonly #halfDone: HalfDoneSearches
  readonly #deadlineMs: number
  readonly #maxOpen: number
  readonly #processes: number
  readonly #startedAt = performance.now()
  readonly #filters: TermFilters
  #questions = 0

  private constructor(place: NodePlace, cache: RevisionCache, lead: LeaderLock) {
    this.#catalogue = place.catalogue
    this.#denials = new DenialLog(place.catalogue)
    this.#oidc = place.oidc
    this.#store = place.store
    this.#signingKey = place.signingKey
    this.#name = place.name
    this.#filters = new TermFilters(place.catalogue)
    this.#deadlineMs = place.deadlineMs
    this.#processes = place.processes
    this.#maxOpen = Math.ceil(MAX_OPEN / place.processes)
    this.#halfDone = new HalfDoneSearches(place.deadlineMs, () => this.#endQuestion())
    this.#cache = cache
    this.#lead = lead
  }

  /** Throws TEAM, USAGE, and REPOS_BUSY if a node of this name already runs. */
  static async start(options: NodeOptions): Promise<TeamNode> {
    const { name, base, lead } = takeOwnFolder("node", options.name)
    try {
      const catalogue = await Catalogue.open(options.database)
      const store = openBlobStore(catalogue, options.blobs, process.env)
      const { deadlineMs, processes } = options
      const cache = new RevisionCache(join(base, "revisions"), store, options.maxCacheBytes / processes)
      const oidc = options.oidc === null ? null : new OidcVerifier(options.oidc)
      const key = await signingKey(catalogue)
      const place = { name, catalogue, store, signingKey: key, oidc, deadlineMs, processes }
      return new TeamNode(place, cache, lead)
    } catch (error) {
      lead[Symbol.dispose]()
      throw error
    }
  }

  get name(): string {
    return this.#name
  }

  /** Takes part in dividing repositories among nodes from now on. */
  async join(address: NodeAddress): Promise<void> {
    const announce = async () => {
      const node = { id: this.#id, name: this.#name, ...address, version }
      const nodes = await announceNode(this.#catalogue, node)
      // The holders of an equal list are known.
      if (!Bun.deepEquals(nodes, this.#nodes)) this.#nodes = nodes
    }
    await announce()
    this.#announcing = setInterval(() => {
      // The error is only logged, because without the database no question can be answered anyway.
      announce().catch((error: unknown) =>
        log.warn("the node could not be announced", { error: String(error) }),
      )
    }, ANNOUNCE_MS)
  }

  /** Lets the other nodes take over this one's repositories. */
  async leave(): Promise<void> {
    if (this.#announcing === null) return
    clearInterval(this.#announcing)
    await removeNode(this.#catalogue, this.#id).catch(() => {})
  }

  /** Answers another node; null if its pass is not valid. Throws the errors of the question. */
  async answerNode(pass: string, body: string): Promise<string | null> {
    const who = readPass(pass, body, this.#signingKey, Date.now())
    if (who === null) return null
    return toWire(await this.#answerCall(who, fromWire(body) as NodeCall))
  }

  #answerCall(who: Principal, call: NodeCall): unknown {
    if (call.call === "each") return this.#eachForNode(who, call)
    if (call.call === "ask") return this.#askForNode(who, call)
    if (call.call === "best") return this.#bestForNode(call)
    if (call.call === "figures") return this.#ownFigures()
    return this.#sourceHere(who, call.wanted)[call.call](call.request as never)
  }

  /** The owner of a valid token; null for any other token, which the audit log then names. */
  async principalOf(token: string): Promise<Principal | null> {
    if (this.#oidc !== null && isJwt(token)) return this.#claimedPrincipal(this.#oidc, token)
    const known = await lookUpToken(this.#catalogue, token)
    if (known !== null && known.refusal === null) return known.owner
    if (known === null) await this.#denials.record(UNKNOWN, "token refused", "no known token")
    else await this.#denials.record(known.owner.name, "token refused", `${known.id}: ${known.refusal}`)
    return null
  }

  /** The principal of a token of the identity provider. */
  async #claimedPrincipal(oidc: OidcVerifier, token: string): Promise<Principal | null> {
    const digest = sha256(token)
    const known = this.#claimed.get(digest)
    if (known !== undefined) return known
    const claims = await oidc.verify(token)
    if (typeof claims === "string") {
      await this.#denials.record(UNKNOWN, "token refused", `identity provider: ${claims}`)
      return null
    }
    const { principal, teams, issuedAt, expiresAt } = claims
    const found = await claimPrincipal(this.#catalogue, principal, teams, issuedAt)
    const ttl = Math.min(CLAIMS_MS, expiresAt - Date.now())
    if (ttl > 0) this.#claimed.set(digest, found, { ttl })
    return found
  }

  /**
   * The repositories that the principal may read and a name selects. `digest`: only those of which the SHA-256 of the name,
   * without a branch, begins with it, so that a client can ask for one without telling its name.
   */
  async repositories({ id }: Principal, wanted = ALL, digest = ""): Promise<ReadableRepository[]> {
    const published = await readable(this.#catalogue, id)
    const all = published.map((each) => repositoryOf(each))
    const found = valueOrNone(() => selectedBy(wanted, all, published)).filter(({ name }) =>
      sha256(name.split("#")[0]!).startsWith(digest),
    )
    return found.map(({ name, commit, files, publishedAt, error }) => ({
      ...{ repository: name, commit, files, published_at: publishedAt, error },
    }))
  }

  /** The repositories and branches that the principal may read and that have no published revision. */
  waiting({ id }: Principal): Promise<WaitingRepository[]> {
    return unpublished(this.#catalogue, id, true)
  }

  /**
   * The questions asked of the repositories that the principal may read and a name selects. Text searches take ten
   * seconds at most. If one other node holds all of the repositories, it is asked.
   */
  source(who: Principal, wanted: string): Source {
    const here = this.#sourceHere(who, wanted)
    return sourceOf(async <V extends Verb>(verb: V, request: RequestOf<V>) => {
      const call = { call: verb, wanted, request } as const
      return (await this.#askHolder<AnswerOf<V>>(who, call)) ?? (await here[verb](request))
    })
  }

  #sourceHere(who: Principal, wanted: string): Source {
    return sourceOf((verb, request) =>
      this.#ask(who, wanted, verb === "read" ? "all" : "as needed", async (query) => {
        const { configured, open, nodes, notices } = query
        const caller = grepCaller(who)
        const answer = await several(configured, wanted, { open, nodes })[verb](request, { caller })
        if (verb === "read") return answer
        const noticed = withGroupedNotices(withNotices(answer, notices))
        return verb === "search" ? withWaiting(noticed as SearchAnswer, query.waiting) : noticed
      }),
    )
  }

  /** The key that signs offered revisions; see `publicKeyOf`. */
  get publicKey(): string {
    return publicKeyOf(this.#signingKey)
  }

  /** The newest revisions of a repository and of its branches, newest first; empty unless the principal may read it. */
  async offers({ id, name }: Principal, repository: string): Promise<RevisionOffer[]> {
    const found = await revisionsOf(this.#catalogue, id, repository)
    // The answer does not wait for the record: its time would tell that the repository exists. Other names are not
    // recorded, because clients ask for each new checkout, those of private projects included.
    if (found.length === 0 && (await isHidden(this.#catalogue, id, repository)))
      this.#denials.record(name, "read denied", repository).catch(() => {})
    return found.map((facts) => signOffer(facts, this.#signingKey))
  }

  /** A blob of a revision that the principal may read; throws NOT_FOUND for any other. */
  async blob({ id, name }: Principal, hash: string): Promise<Uint8Array> {
    const mayRead = await mayReadBlob(this.#catalogue, id, hash)
    if (mayRead) return getBlob(this.#store, hash)
    await this.#denials.record(name, "read denied", `segment ${hash}`)
    throw new AmanError("NOT_FOUND", `you can read no segment ${hash}`)
  }

  /** Records the refusal of a request without a principal, such as a webhook. */
  refused(action: string, about: string): Promise<void> {
    return this.#denials.record(UNKNOWN, action, about)
  }

  /** The state of the whole team and of all processes of this node, for operators. */
  async figures(): Promise<NodeFigures> {
    const line = this.#line({ id: "0", name: "figures" })
    const others = this.#nodes.filter(({ id, isLocal }) => isLocal === true && id !== this.#id)
    const all: OwnFigures[] = [this.#ownFigures()]
    for (const found of await Promise.all(others.map((each) => callNode(each, { call: "figures" }, line))))
      if (found !== null && found !== "late") all.push(found as OwnFigures)
    const sum = (value: (each: OwnFigures) => number) => all.reduce((total, each) => total + value(each), 0)
    return {
      ...(await teamFigures(this.#catalogue)),
      processes: all.length,
      missing: performance.now() - this.#startedAt < START_MS ? 0 : this.#processes - all.length,
      freeBytes: this.#cache.freeBytes,
      cache: {
        bytes: sum(({ cache }) => cache.bytes),
        maxBytes: sum(({ cache }) => cache.maxBytes),
        revisions: sum(({ cache }) => cache.revisions),
      },
      open: sum(({ open }) => open),
      denied: sum(({ denied }) => denied),
      resident: sum(({ resident }) => resident),
    }
  }

  #ownFigures(): OwnFigures {
    const resident = process.memoryUsage.rss()
    return { cache: this.#cache.size, open: this.#open.size, denied: this.#denials.count, resident }
  }

  /** Requests an update of the repository with one of these addresses; returns what `requestPushedUpdates` returns. */
  pushed(urls: readonly string[], digest: string): Promise<number | null> {
    const names = urls.flatMap((url) => {
      try {
        return [repositoryName(parseAddress(url, { cwd: null, home: homeDir() }))]
      } catch {
        return []
      }
    })
    return requestPushedUpdates(this.#catalogue, [...new Set(names)], digest)
  }

  pushMemory(who: Principal, entries: readonly PushedEntry[]): Promise<PushAnswer> {
    return pushMemory(this.#catalogue, who, entries, {
      now: new Date().toISOString(),
      noteRefusal: (about) => this.#denials.record(who.name, "memory refused", about),
    })
  }

  pullMemory(who: Principal, after: string): Promise<PullAnswer> {
    return pullMemory(this.#catalogue, who, after, this.#signingKey)
  }

  /** True if the database answers. */
  async isReady(): Promise<boolean> {
    try {
      await this.#catalogue.run((sql) => sql`SELECT 1`)
      return true
    } catch {
      return false
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave()
    this.#closeAllBut(0)
    this.#lead[Symbol.dispose]()
    await this.#catalogue[Symbol.asyncDispose]()
  }

  /** `layOut`: whether all repositories of the question are made ready, or only those that `nodes.prepare` names. */
  async #ask<T>(
    who: Principal,
    wanted: string,
    layOut: "all" | "as needed",
    act: (question: NodeQuery) => Promise<T>,
  ): Promise<T> {
    const { all, asked, published } = await this.#chosen(who, wanted)
    this.#questions++
    try {
      const { places, notices } = await this.#layOut(layOut === "all" ? asked : [])
      const isAsked = new Set(asked.map(({ repositoryId }) => repositoryId))
      const repositories = all.filter(({ id }) => (layOut === "all" ? places.has(id) : isAsked.has(id)))
      if (repositories.length === 0) throw new AmanError("TEAM", notices[0] ?? "no repository can be read")
      const configured = configuredFor(repositories, published)
      const open: OpenClone = (repository) => {
        const place = places.get(repository.id)
        return place === undefined ? null : this.#project({ ...repository, ...place })
      }
      const nodes = this.#otherNodes(who, asked, places)
      const isWhole = asked.some(({ name }) => name === wanted.trim())
      const waiting = isWhole ? [] : await this.#waiting(who, wanted)
      return await act({
        configured,
        open,
        nodes,
        notices: [...notices, ...waitingNotices(waiting)],
        waiting,
      })
    } finally {
      this.#endQuestion()
    }
  }

  #endQuestion(): void {
    this.#questions--
    if (this.#questions === 0) this.#trim()
  }

  /** The repositories that the principal may read, and those of them that a question is about. */
  async #chosen(who: Principal, wanted: string) {
    // A branch repeats most of its repository, so that it is only asked by its name.
    const published = (await readable(this.#catalogue, who.id)).filter(
      ({ isBranch }) => !isBranch || wanted.includes("#"),
    )
    const all = published.map((each) => repositoryOf(each))
    try {
      return { all, published, asked: selectedBy(wanted, all, published) }
    } catch (error) {
      throw await this.#refusal(who, wanted, error)
    }
  }

  /**
   * The answer of another node, if that node holds all repositories of a question. Null if they are spread over several
   * nodes, if this node holds some of them, or if the other node does not answer.
   */
  async #askHolder<T>(who: Principal, call: WholeQuestion): Promise<T | null> {
    if (!this.#nodes.some(({ id }) => id !== this.#id)) return null
    const { asked } = await this.#chosen(who, call.wanted)
    const holders = new Set(asked.map(({ repositoryId }) => holderOf(repositoryId, this.#nodes)))
    const [holder] = holders
    if (holders.size !== 1 || holder == null || holder.id === this.#id) return null
    const answer = await callNode(holder, call, this.#line(who))
    return answer === "late" ? null : (answer as T | null)
  }

  #line(who: Principal): NodeRequestContext {
    const deadline = performance.now() + this.#deadlineMs
    return { who, key: this.#signingKey, deadline, nodes: () => this.#nodes }
  }

  /** `places` receives the repositories that are made ready. */
  #otherNodes(who: Principal, asked: readonly PublishedRevision[], places: RepositoryFolders): OtherNodes {
    const line = this.#line(who)
    const byId = new Map(asked.map((each) => [each.repositoryId, each]))
    return {
      without: (words) => this.#filters.without(asked, words),
      divide: (repositories) => divideAmong(repositories, this.#id, line),
      prepare: async (repositories) => {
        const unready = repositories.flatMap(({ id }) => (places.has(id) ? [] : (byId.get(id) ?? [])))
        const found = await this.#layOut(unready, line.deadline)
        for (const [id, place] of found.places) places.set(id, place)
        return found.noticeOf
      },
    }
  }

  /** The first step of a search for another node: the statistics with which it ranks the files of all repositories. */
  async #askForNode(who: Principal, call: NodeCall & { call: "ask" }): Promise<AskedThere[]> {
    const { question, request, words, withinMs } = call
    const wanted = new Set(call.repositories)
    const published = (await readable(this.#catalogue, who.id)).filter(({ repositoryId }) =>
      wanted.has(repositoryId),
    )
    const { places, noticeOf } = await this.#layOut(published, performance.now() + withinMs)
    const configured = configuredFor(
      published.map((each) => repositoryOf(each)),
      published,
    )
    const states = configured.states()
    const all: RepositorySearch[] = []
    this.#questions++
    try {
      for (const repository of configured.repositories) {
        const { id } = repository
        const notice = noticeOf.get(id)
        const open: OpenClone = () => this.#project({ ...repository, ...places.get(id)! })
        all.push(
          notice === undefined
            ? await askRepository(repository, states[id], request, { open, words })
            : { repository, answer: null, without: null, notices: [notice] },
        )
      }
    } catch (error) {
      this.#endQuestion()
      throw error
    }
    this.#halfDone.set(question, all)
    return all.map(({ repository, answer, without, notices }) => {
      const { here: _, ...rest } = answer ?? { here: null }
      return { id: repository.id, answer: answer && (rest as AskedThere["answer"]), without, notices }
    })
  }

  /** Answers that another node merges, one for each repository. */
  async #eachForNode(
    who: Principal,
    { repositories, part, withinMs }: EachCall,
  ): Promise<(readonly [id: string, answer: PartAnswer])[]> {
    this.#questions++
    try {
      const wanted = new Set(repositories)
      const all = await readable(this.#catalogue, who.id)
      const published = all.filter(({ repositoryId }) => wanted.has(repositoryId))
      const { places, noticeOf } = await this.#layOut(published, performance.now() + withinMs)
      const own = published.map((each) => repositoryOf(each))
      const open: OpenClone = (each) => this.#project({ ...each, ...places.get(each.id)! })
      const nodes = { ...NO_OTHER_NODES, prepare: async () => noticeOf }
      return [...(await askEach(own, part, { open, nodes, caller: grepCaller(who) }))]
    } finally {
      this.#endQuestion()
    }
  }

  /** The second step: the best files, with their text. */
  #bestForNode({ question, shared, answering, limit }: NodeCall & { call: "best" }): BestThere[] {
    const asked = this.#halfDone.get(question)
    const byId = new Map(asked.map((each) => [each.repository.id, each]))
    const known = answering.filter(([id]) => byId.has(id))
    const scale = { scale: shared, isAlike: known.map(([, isAlike]) => isAlike) }
    try {
      const best = bestHere(
        known.map(([id]) => byId.get(id)!),
        scale,
        limit,
      )
      return best.map(({ repository: { id }, path, sum, sumAsCode, show }) => ({
        ...{ id, path, sum, sumAsCode, result: show() },
      }))
    } finally {
      this.#halfDone.end(question)
    }
  }

  /**
   * Gives the same answer for a repository that does not exist and for one that the principal may not read; only the
   * audit log tells them apart.
   */
  async #refusal(who: Principal, wanted: string, error: unknown): Promise<unknown> {
    if (!(error instanceof AmanError && error.code === "NOT_FOUND")) return error
    const [first] = waitingNotices(await this.#waiting(who, wanted))
    if (first !== undefined)
      return new AmanError("INDEX_MISSING", `no repository can be searched yet: ${first}`, {
        hint: "aman search --wait waits for it; aman team status lists what you can read",
      })
    if (wanted.trim() === ALL)
      return new AmanError("NOT_FOUND", "there is no repository that you can read", {
        hint: "an administrator can grant some to a team of yours: aman team grant TEAM REPOSITORY",
      })
    await this.#denials.record(who.name, "read denied", wanted)
    return new AmanError("NOT_FOUND", `you can read no repository named ${JSON.stringify(wanted)}`, {
      hint: "see: aman team status; an administrator can grant more",
    })
  }

  /** The repositories without a published revision that the principal may read and a name selects. */
  async #waiting(who: Principal, wanted: string): Promise<readonly WaitingRepository[]> {
    const all = await unpublished(this.#catalogue, who.id, wanted.includes("#"))
    const part = wanted.trim().toLowerCase()
    return part === ALL ? all : all.filter(({ name }) => name.toLowerCase().includes(part))
  }

  /**
   * Lays out the revisions that a question needs. Those that fail or take too long are left out and named in a
   * notice.
   */
  async #layOut(asked: readonly PublishedRevision[], until = performance.now() + this.#deadlineMs) {
    const places: RepositoryFolders = new Map()
    const noticeOf = new Map<string, string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const deadline = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, until - performance.now()), null)
    })
    await Promise.all(
      asked.map(async (each) => {
        const leaveOut = (why: string) =>
          noticeOf.set(each.repositoryId, `${each.name} was not asked: ${why}`)
        if (each.indexVersion !== INDEX_VERSION) {
          leaveOut("its index is of another version of aman")
          return
        }
        try {
          const place = await Promise.race([this.#cache.get(each), deadline])
          if (place === null) leaveOut("it is still being fetched; try again")
          else places.set(each.repositoryId, { clone: place.root, index: place.index })
        } catch (error) {
          leaveOut(messageOf(error))
        }
      }),
    )
    clearTimeout(timer)
    return { places, noticeOf, notices: [...noticeOf.values()] }
  }

  #project(repository: Repository): Project | null {
    const known = this.#open.get(repository.index)
    if (known !== undefined) {
      // The map keeps the order of use.
      this.#open.delete(repository.index)
      this.#open.set(repository.index, known)
      return known
    }
    // A repository's own settings do not change what this process logs.
    const project = openClone(repository, { "log.level": log.level }, { isFixed: true })
    if (project !== null) this.#open.set(repository.index, project)
    return project
  }

  /** Makes room on the disk. Called while no question is being answered, so that any project may be closed. */
  #trim(): void {
    this.#closeAllBut(this.#cache.isDiskFull ? 0 : this.#maxOpen)
    const open = new Set(Array.from(this.#open.keys(), manifestOf))
    this.#cache.trim((manifest) => open.has(manifest))
  }

  /** Closes repositories, those used least recently first, until `count` are open. */
  #closeAllBut(count: number): void {
    for (const [index, project] of this.#open) {
      if (this.#open.size <= count) return
      project.close()
      this.#open.delete(index)
    }
  }
}

/** Which repositories are not indexed yet, in what state they are, and which cannot be: at most two notices. */
function waitingNotices(waiting: readonly WaitingRepository[]): string[] {
  const isNext = waiting.filter(({ error }) => error === null)
  const states = isNext.map(({ name, isIndexed, progress }, at) => {
    const share = progress === null ? "" : `, ${Math.floor(progress * 100)} % of the files`
    return isIndexed ? `${name} (being indexed${share})` : `${name} (place ${at + 1})`
  })
  const isIdle = isNext.some(({ idleS }) => idleS >= NO_WORKER_S)
  const why = isIdle ? "; no worker takes jobs: an administrator starts one with aman team worker" : ""
  const failed = waiting.filter(({ error }) => error !== null).map(({ name, error }) => `${name}: ${error}`)
  return [
    ...(isNext.length === 0 ? [] : [`not indexed yet: ${someOf(states, ", ")}${why}`]),
    ...(failed.length === 0 ? [] : [`could not be indexed: ${someOf(failed, "; ")}`]),
  ]
}

/** The answer with one notice for all repositories that were not asked for the same reason. */
function withGroupedNotices<T extends AnswerOf<Verb>>(answer: T): T {
  if ("hints" in answer) return { ...answer, hints: grouped(answer.hints) }
  return { ...answer, notices: grouped(answer.notices ?? []) }
}

function grouped(notices: readonly string[]): string[] {
  const groups = Map.groupBy(notices, (notice) => / was not asked: .+$/s.exec(notice)?.[0] ?? notice)
  return [...groups].map(([why, [first, ...others]]) => {
    if (others.length === 0 || why === first) return first!
    const names = [first!, ...others].map((notice) => notice.slice(0, -why.length))
    return `${someOf(names, ", ")}${why.replace("was not asked:", "were not asked, each for this reason:")}`
  })
}

/** Maximum number of repositories that a notice names. */
const MAX_NAMED = 5

function someOf(texts: readonly string[], separator: string): string {
  const further = texts.length - MAX_NAMED
  return `${texts.slice(0, MAX_NAMED).join(separator)}${further > 0 ? `${separator}${further} more` : ""}`
}

/** The answer as part of one that is whole when the waiting repositories are indexed; those that failed do not count. */
function withWaiting(answer: SearchAnswer, waiting: readonly WaitingRepository[]): SearchAnswer {
  const count = waiting.filter(({ error }) => error === null).length
  if (count === 0) return answer
  const searched = answer.repositories?.length ?? 0
  const { done, total } = answer.partial ?? { done: searched, total: searched }
  return { ...answer, partial: { done, total: total + count, share: done / (total + count) } }
}

/** The list that `act` returns; an empty one if it throws NOT_FOUND. */
function valueOrNone<T>(act: () => readonly T[]): readonly T[] {
  try {
    return act()
  } catch (error) {
    if (error instanceof AmanError && error.code === "NOT_FOUND") return []
    throw error
  }
}

/** The repositories that a name selects; throws NOT_FOUND if there are none. */
function selectedBy(
  wanted: string,
  all: readonly Repository[],
  published: readonly PublishedRevision[],
): readonly PublishedRevision[] {
  const chosen = new Set(chooseRepositories(configuredFor(all, published), wanted).map(({ id }) => id))
  return published.filter(({ repositoryId }) => chosen.has(repositoryId))
}

/** The hash of a revision's manifest, from the path of its index folder. */
function manifestOf(index: string): string {
  return basename(dirname(index))
}
