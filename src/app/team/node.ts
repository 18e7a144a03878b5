import { join } from "node:path"
import { AmanError } from "../../base/errors.ts"
import { homeDir } from "../../base/paths.ts"
import { loadReposConfig } from "../../config/load-server.ts"
import { INDEX_VERSION } from "../../index/index-state.ts"
import { nameOf, parseAddress } from "../../repos/address.ts"
import { placesIn } from "../../repos/folder-name.ts"
import { newState } from "../../repos/manifest.ts"
import type { LeaderLock } from "../../store/lock/lead.ts"
import { type BlobStore, openBlobStore } from "../../team/blobs/blob-store.ts"
import { lookUpToken, type Principal } from "../../team/catalogue/access.ts"
import { Catalogue } from "../../team/catalogue/catalogue.ts"
import { wantPushed } from "../../team/catalogue/repositories.ts"
import {
  mayReadBlob,
  type Published,
  readable,
  revisionsOf,
  unpublished,
} from "../../team/catalogue/revisions.ts"
import { signingKey } from "../../team/catalogue/signing-key.ts"
import { publicKeyOf, type RevisionOffer, signOffer } from "../../team/revision/offer.ts"
import type { ReadAnswer, SearchAnswer, SearchRequest } from "../answers.ts"
import type { ContextBundle, ContextRequest } from "../context/request.ts"
import type { Project } from "../project/open-project.ts"
import type { ReadRequest } from "../project/read-file.ts"
import { ALL, chooseRepositories } from "../repositories/choose.ts"
import { openClone } from "../repositories/clones.ts"
import type { Configured, Repository } from "../repositories/configured.ts"
import { contextOfRepositories, placesOf } from "../repositories/context.ts"
import { grepRepositories, readRepositoryFile } from "../repositories/read.ts"
import { type OpenClone, searchRepositories } from "../repositories/search.ts"
import { symbolOfRepositories } from "../repositories/symbol.ts"
import type { GrepAnswer, GrepQuestion } from "../search/grep-answer.ts"
import { grepCaller } from "../search/grep-for-server.ts"
import { atBestPieces, withPassages } from "../search/passages.ts"
import type { SymbolAnswer, SymbolRequest } from "../symbols/symbol-answer.ts"
import { Denials, UNKNOWN } from "./denials.ts"
import { takeOwnFolder } from "./own-folder.ts"
import { RevisionCache } from "./revision-cache.ts"
import {
  type PullAnswer,
  type PushAnswer,
  type PushedEntry,
  pullMemory,
  pushMemory,
} from "./shared-memory.ts"

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
  readonly onListening: (url: string) => void
}

type NodeOptions = {
  readonly database: string
  readonly blobs: string
  readonly name?: string | undefined
  readonly maxCacheBytes: number
}

type NodePlace = {
  readonly catalogue: Catalogue
  readonly store: BlobStore
  readonly signingKey: Buffer
}

/** A repository that the principal may read, and what is published for it. */
export type ReadableRepository = {
  readonly repository: string
  readonly commit: string
  readonly files: number
  readonly published_at: string
  readonly error: string | null
}

/**
 * Time limit for fetching revisions to this node's disk; questions are then answered without those that are not ready.
 */
const LAY_OUT_MS = 20_000
const MAX_OPEN = 200

/**
 * Answers questions about the team's repositories from published revisions. Every question is asked by a principal;
 * repositories that the principal may not read are neither opened, nor counted, nor named.
 */
export class TeamNode implements AsyncDisposable {
  readonly #catalogue: Catalogue
  readonly #store: BlobStore
  readonly #signingKey: Buffer
  readonly #denials: Denials
  readonly #cache: RevisionCache
  readonly #lead: LeaderLock
  /** Open projects by manifest. */
  readonly #open = new Map<string, Project>()
  #questions = 0

  private constructor(place: NodePlace, cache: RevisionCache, lead: LeaderLock) {
    this.#catalogue = place.catalogue
    this.#denials = new Denials(place.catalogue)
    this.#store = place.store
    this.#signingKey = place.signingKey
    this.#cache = cache
    this.#lead = lead
  }

  /** Throws TEAM, USAGE, and REPOS_BUSY if a node of this name already runs. */
  static async start(options: NodeOptions): Promise<TeamNode> {
    const { base, lead } = takeOwnFolder("node", options.name)
    try {
      const catalogue = await Catalogue.open(options.database)
      const store = openBlobStore(catalogue, options.blobs)
      const cache = new RevisionCache(join(base, "revisions"), store, options.maxCacheBytes)
      const place = { catalogue, store, signingKey: await signingKey(catalogue) }
      return new TeamNode(place, cache, lead)
    } catch (error) {
      lead[Symbol.dispose]()
      throw error
    }
  }

  /** The owner of a valid token; null for any other token, which the audit log then names. */
  async principalOf(token: string): Promise<Principal | null> {
    const known = await lookUpToken(this.#catalogue, token)
    if (known !== null && known.refusal === null) return known.owner
    if (known === null) await this.#denials.record(UNKNOWN, "token refused", "no known token")
    else await this.#denials.record(known.owner.name, "token refused", `${known.id}: ${known.refusal}`)
    return null
  }

  async repositories({ id }: Principal): Promise<ReadableRepository[]> {
    const found = await readable(this.#catalogue, id)
    return found.map(({ name, commit, files, publishedAt, error }) => ({
      ...{ repository: name, commit, files, published_at: publishedAt, error },
    }))
  }

  /**
   * Searches the repositories that the principal may read. With `brief`, the text of each result begins where it most
   * likely answers the query; with `passageTokens`, the results have passages of about that many tokens together.
   */
  async search(
    who: Principal,
    wanted: string,
    request: SearchRequest,
    { brief = false, passageTokens }: { brief?: boolean; passageTokens?: number | undefined } = {},
  ): Promise<SearchAnswer> {
    return this.#ask(who, wanted, async (configured, open, notices) => {
      const answer = await searchRepositories(configured, wanted, request, open)
      const places = placesOf(configured, wanted, open)
      const whole = brief ? atBestPieces(answer, places) : answer
      const shown = passageTokens === undefined ? whole : withPassages(whole, places, passageTokens)
      return { ...shown, notices: [...shown.notices, ...notices] }
    })
  }

  async context(who: Principal, wanted: string, request: ContextRequest): Promise<ContextBundle> {
    return this.#ask(who, wanted, async (configured, open, notices) => {
      const bundle = await contextOfRepositories(configured, wanted, request, open)
      return { ...bundle, hints: [...bundle.hints, ...notices] }
    })
  }

  /**
   * Lines that match a text or a regular expression, found within ten seconds; the answer names what was not searched.
   */
  grep(who: Principal, wanted: string, question: GrepQuestion): Promise<GrepAnswer> {
    return this.#ask(who, wanted, async (configured, open, notices) => {
      const answer = await grepRepositories(configured, wanted, question, open, grepCaller(who))
      return { ...answer, notices: [...answer.notices, ...notices] }
    })
  }

  symbol(who: Principal, wanted: string, request: SymbolRequest): Promise<SymbolAnswer> {
    return this.#ask(who, wanted, async (configured, open, notices) => {
      const answer = await symbolOfRepositories(configured, wanted, request, { open })
      return { ...answer, notices: [...answer.notices, ...notices] }
    })
  }

  read(who: Principal, wanted: string, request: ReadRequest): Promise<ReadAnswer> {
    return this.#ask(who, wanted, (configured, open) => readRepositoryFile(configured, wanted, request, open))
  }

  /** The key that signs offered revisions; see `publicKeyOf`. */
  get publicKey(): string {
    return publicKeyOf(this.#signingKey)
  }

  /** The newest revisions of a repository and of its branches, newest first; empty unless the principal may read it. */
  async offers({ id }: Principal, repository: string): Promise<RevisionOffer[]> {
    const found = await revisionsOf(this.#catalogue, id, repository)
    return found.map((facts) => signOffer(facts, this.#signingKey))
  }

  /** A blob of a revision that the principal may read; throws NOT_FOUND for any other. */
  async blob({ id, name }: Principal, hash: string): Promise<Uint8Array> {
    const mayRead = await mayReadBlob(this.#catalogue, id, hash)
    const bytes = mayRead ? await this.#store.get(hash) : null
    if (bytes !== null) return bytes
    if (!mayRead) await this.#denials.record(name, "read denied", `segment ${hash}`)
    throw new AmanError("NOT_FOUND", `you can read no segment ${hash}`)
  }

  /** Records a webhook that was not acted on. */
  webhookRefused(host: string, reason: string): Promise<void> {
    return this.#denials.record(UNKNOWN, "webhook refused", `${host}: ${reason}`)
  }

  /** Requests an update of the repository with one of these addresses; returns what `wantPushed` returns. */
  pushed(urls: readonly string[], digest: string): Promise<number | null> {
    const names = urls.flatMap((url) => {
      try {
        return [nameOf(parseAddress(url, { cwd: null, home: homeDir() }))]
      } catch {
        return []
      }
    })
    return wantPushed(this.#catalogue, [...new Set(names)], digest)
  }

  pushMemory(who: Principal, entries: readonly PushedEntry[]): Promise<PushAnswer> {
    return pushMemory(this.#catalogue, who, entries, new Date().toISOString())
  }

  pullMemory(who: Principal, after: number): Promise<PullAnswer> {
    return pullMemory(this.#catalogue, who, after)
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
    this.#closeAll()
    this.#lead[Symbol.dispose]()
    await this.#catalogue[Symbol.asyncDispose]()
  }

  async #ask<T>(
    who: Principal,
    wanted: string,
    act: (configured: Configured, open: OpenClone, notices: readonly string[]) => Promise<T>,
  ): Promise<T> {
    const published = await readable(this.#catalogue, who.id)
    const all = published.map((each) => repositoryOf(each))
    const everything = configuredFor(all, published)
    let chosen: ReadonlySet<string>
    try {
      chosen = new Set(chooseRepositories(everything, wanted).map(({ id }) => id))
    } catch (error) {
      throw await this.#refusal(who, wanted, error)
    }
    this.#questions++
    try {
      const asked = published.filter(({ repositoryId }) => chosen.has(repositoryId))
      const { places, notices } = await this.#layOut(asked)
      const repositories = all
        .filter(({ id }) => places.has(id))
        .map((each) => ({ ...each, ...places.get(each.id)! }))
      if (repositories.length === 0) throw new AmanError("TEAM", notices[0] ?? "no repository can be read")
      const configured = configuredFor(repositories, published)
      const open: OpenClone = (repository) => this.#project(repository, configured)
      const waiting = wanted.trim() === ALL ? await unpublished(this.#catalogue, who.id) : []
      const missing = waiting.map(({ name }) => `${name} has not been indexed yet`)
      return await act(configured, open, [...notices, ...missing])
    } finally {
      this.#questions--
      if (this.#questions === 0) this.#trim()
    }
  }

  /**
   * Gives the same answer for a repository that does not exist and for one that the principal may not read; only the
   * audit log tells them apart.
   */
  async #refusal(who: Principal, wanted: string, error: unknown): Promise<unknown> {
    if (!(error instanceof AmanError && error.code === "NOT_FOUND")) return error
    const waiting = await unpublished(this.#catalogue, who.id)
    const pending = waiting.find(({ name }) => name.includes(wanted))
    if (pending !== undefined)
      return new AmanError("NOT_FOUND", `${pending.name} has not been indexed yet`, {
        hint:
          pending.error === null ? "a worker will do it shortly" : `the last try failed: ${pending.error}`,
      })
    await this.#denials.record(who.name, "read denied", wanted)
    return new AmanError("NOT_FOUND", `you can read no repository named ${JSON.stringify(wanted)}`, {
      hint: "see: aman team repos; an administrator can grant more",
    })
  }

  /**
   * Lays out the revisions that a question needs. Those that fail or take too long are left out and named in a
   * notice.
   */
  async #layOut(asked: readonly Published[]) {
    const places = new Map<string, { readonly clone: string; readonly index: string }>()
    const notices: string[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const deadline = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, LAY_OUT_MS, null)
    })
    await Promise.all(
      asked.map(async (each) => {
        if (each.indexVersion !== INDEX_VERSION) {
          notices.push(`${each.name} was not asked: its index is of another version of aman`)
          return
        }
        try {
          const place = await Promise.race([this.#cache.get(each), deadline])
          if (place === null) notices.push(`${each.name} was not asked: it is still being fetched; try again`)
          else places.set(each.repositoryId, { clone: place.root, index: place.index })
        } catch (error) {
          notices.push(
            `${each.name} was not asked: ${error instanceof Error ? error.message : String(error)}`,
          )
        }
      }),
    )
    clearTimeout(timer)
    return { places, notices }
  }

  #project(repository: Repository, { config }: Configured): Project | null {
    const known = this.#open.get(repository.index)
    if (known !== undefined) return known
    const project = openClone(repository, config)
    if (project !== null) this.#open.set(repository.index, project)
    return project
  }

  /** Makes room on the disk. Called while no question is being answered, so that any project may be closed. */
  #trim(): void {
    if (this.#open.size > MAX_OPEN) this.#closeAll()
    this.#cache.trim((manifest) => [...this.#open.keys()].some((index) => index.includes(manifest)))
  }

  #closeAll(): void {
    for (const project of this.#open.values()) project.close()
    this.#open.clear()
  }
}

function repositoryOf({ repositoryId, name, url }: Published): Repository {
  const address = parseAddress(url, { cwd: null, home: homeDir() })
  return { id: repositoryId, name, url, address, clone: "", index: "" }
}

/** The published repositories in the form that the use cases for other repositories take. */
function configuredFor(repositories: readonly Repository[], published: readonly Published[]): Configured {
  // A published revision counts as current until the catalogue names a newer one.
  const config = { ...loadReposConfig(), isEnabled: true, syncIntervalMs: Number.MAX_SAFE_INTEGER }
  const states = Object.fromEntries(
    published.map((each) => {
      const { repositoryId, url, commit, publishedAt, files, error } = each
      const failure = error === null ? {} : { error, error_at: "its last check" }
      const times = { last_pull: publishedAt, last_attempt: publishedAt, cloned_at: publishedAt }
      const state = {
        ...newState(url),
        ...times,
        last_commit: commit,
        last_indexed: commit,
        file_count: files,
      }
      return [repositoryId, { ...state, ...failure }]
    }),
  )
  return { config, places: placesIn(config.baseDir), repositories, states: () => states, problems: [] }
}
