/**
 * A model of how processes take and lose the lead of an index, small enough to try every order of their steps. One
 * step is one system call or one statement of SQLite; a comment names the code it stands for. Files are inodes with at
 * most one name; a lock belongs to an inode and ends with its process.
 */
export type Setting = {
  /** Number of servers, which try to become the leader again and again. */
  readonly servers: number
  /** Processes that run `aman clean` once. */
  readonly cleans: number
  /** Number of processes that may be killed, each at any step. */
  readonly crashes: number
  /** How often lock.db may be removed by a process that does not follow the rules. */
  readonly removals: number
  /** Leaves out one step of the code, to show that the model then finds a fault. */
  readonly without?: "stat after locking" | "held before committing" | "lock last in clean"
}

export type Outcome = {
  readonly states: number
  /**
   * The steps after which two leaders commit to one index, more often than lock.db was removed by hand;
   * empty: none.
   */
  readonly violation: readonly string[]
  /** The steps after which no index can ever be completed although a server is alive; empty: none. */
  readonly stuck: readonly string[]
}

type Phase =
  | "asks"
  | "stats"
  | "makes"
  | "opens"
  | "locks"
  | "compares"
  | "opens index"
  | "checks"
  | "commits"
type Role = "server" | "clean"
type Process = {
  readonly role: Role
  readonly phase: Phase | "removes index" | "removes lock" | "releases" | "dead" | "done"
  /** Inode of lock.db as it was stat'ed before opening; 0: there was none. */
  readonly before: number
  /** Inode of the lock file that is open; 0: none. */
  readonly open: number
  readonly hasLock: boolean
  /** Identity of the lead (LeaderLock.#identity); 0: does not lead. */
  readonly lead: number
  /** Inode of the open index.db. */
  readonly index: number
  /** True if another process has become the leader since this one last checked that it leads. */
  readonly isOvertaken: boolean
  /** Number of commits that it made after it was overtaken, to an index that still has its name. */
  readonly late: number
  readonly attempts: number
}

type State = {
  /** Inode that has the name lock.db; 0: none. */
  readonly lock: number
  /** Inode that has the name index.db; 0: none. */
  readonly index: number
  /** Inodes of indexes to which a run was committed. */
  readonly committed: readonly number[]
  readonly inodes: number
  readonly crashes: number
  readonly removals: number
  readonly processes: readonly Process[]
  readonly broken: string
}

type Move = { readonly name: string; readonly to: State; readonly isOwn: boolean }

/**
 * Two fewer than MAX_ATTEMPTS in store/lock/lead.ts, because further attempts add states without new
 * behaviour.
 */
const MAX_ATTEMPTS = 3

const START: Process = {
  role: "server",
  phase: "asks",
  before: 0,
  open: 0,
  hasLock: false,
  lead: 0,
  index: 0,
  isOvertaken: false,
  late: 0,
  attempts: 0,
}

/** Tries every order of steps and returns the first faults found. */
export function explore(setting: Setting): Outcome {
  const first: State = {
    lock: 0,
    index: 0,
    committed: [],
    inodes: 0,
    crashes: setting.crashes,
    removals: setting.removals,
    processes: [
      ...Array.from({ length: setting.servers }, () => START),
      ...Array.from({ length: setting.cleans }, (): Process => ({ ...START, role: "clean", phase: "stats" })),
    ],
    broken: "",
  }
  const seen = new Map<string, { readonly state: State; readonly from: string; readonly name: string }>()
  const sources = new Map<string, string[]>()
  const firstKey = keyOf(first)
  seen.set(firstKey, { state: first, from: "", name: "" })
  const queue = [firstKey]
  for (let at = 0; at < queue.length; at++) {
    const key = queue[at]!
    const { state } = seen.get(key)!
    if (state.broken !== "")
      return { states: seen.size, violation: [...pathTo(key), state.broken], stuck: [] }
    for (const { name, to, isOwn } of movesFrom(state, setting)) {
      const next = keyOf(to)
      if (isOwn) sources.set(next, [...(sources.get(next) ?? []), key])
      if (seen.has(next)) continue
      seen.set(next, { state: to, from: key, name })
      queue.push(next)
    }
  }
  return { states: seen.size, violation: [], stuck: firstStuck() }

  function pathTo(key: string): string[] {
    const { from, name } = seen.get(key)!
    return from === "" ? [] : [...pathTo(from), name]
  }

  /** The steps to a state with a living server from which the processes alone can never complete an index. */
  function firstStuck(): string[] {
    const good = new Set(queue.filter((key) => isDone(seen.get(key)!.state)))
    const waiting = [...good]
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      for (const from of sources.get(key) ?? []) {
        if (good.has(from)) continue
        good.add(from)
        waiting.push(from)
      }
    }
    const stuck = queue.find((key) => !good.has(key) && hasServer(seen.get(key)!.state))
    return stuck === undefined ? [] : pathTo(stuck)
  }
}

function isDone({ index, committed }: State): boolean {
  return index !== 0 && committed.includes(index)
}

function hasServer({ processes }: State): boolean {
  return processes.some(({ role, phase }) => role === "server" && phase !== "dead")
}

function movesFrom(state: State, setting: Setting): Move[] {
  const moves: Move[] = []
  for (const [at, process] of state.processes.entries()) {
    if (process.phase === "dead" || process.phase === "done") continue
    for (const to of stepsOf(state, at, setting))
      moves.push({ name: `${at} ${process.role} ${process.phase}`, to, isOwn: true })
    if (state.crashes > 0) {
      const to = set({ ...state, crashes: state.crashes - 1 }, at, {
        ...START,
        role: process.role,
        phase: "dead",
      })
      moves.push({ name: `${at} is killed before: ${process.phase}`, to, isOwn: false })
    }
  }
  if (state.removals > 0 && state.lock !== 0) {
    moves.push({
      name: "lock.db is removed",
      to: { ...state, removals: state.removals - 1, lock: 0 },
      isOwn: false,
    })
  }
  return moves
}

// One case for each step of the code, because spreading them over functions would hide their order.
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: see above
function stepsOf(state: State, at: number, { without, removals }: Setting): State[] {
  const own = state.processes[at]!
  const go = (change: Partial<Process>, changed: State = state) => set(changed, at, { ...own, ...change })
  const fail = () => go({ ...START, role: own.role, phase: own.role === "server" ? "asks" : "stats" })
  switch (own.phase) {
    case "asks":
      // LeaderLockWatch.isFree, every half second: BEGIN IMMEDIATE on lock.db, rolled back. Busy: asked again later.
      return state.lock !== 0 && isLocked(state, state.lock) ? [] : [go({ phase: "stats" })]
    case "stats":
      // LeaderLock.#takeIn: fileIdentity(path) before the lock.
      return [go({ phase: "makes", before: state.lock })]
    case "makes": {
      // openDatabase("create"), makeEmpty: O_CREAT | O_EXCL if no file has that name.
      if (state.lock !== 0) return [go({ phase: "opens" })]
      const inodes = state.inodes + 1
      return [go({ phase: "opens" }, { ...state, inodes, lock: inodes })]
    }
    case "opens":
      // new Database(path, { create: false }); tryLock counts a file that is gone by then as busy.
      return [state.lock === 0 ? fail() : go({ phase: "locks", open: state.lock })]
    case "locks":
      // tryLock: BEGIN IMMEDIATE with busy_timeout 0.
      return [isLocked(state, own.open) ? fail() : go({ phase: "compares", hasLock: true })]
    case "compares": {
      // LeaderLock.#takeIn: the LeaderLock's own fileIdentity(path) must be the one from before.
      const isSame = own.before !== 0 && own.before === state.lock
      if (isSame || without === "stat after locking") return [takeLead(state, at)]
      if (own.attempts + 1 >= MAX_ATTEMPTS) return [fail()]
      return [go({ ...START, role: own.role, phase: "stats", attempts: own.attempts + 1 })]
    }
    case "opens index": {
      // Indexer's openSound: makes index.db if there is none.
      if (state.index !== 0) return [go({ phase: "checks", index: state.index })]
      const inodes = state.inodes + 1
      return [go({ phase: "checks", index: inodes }, { ...state, inodes, index: inodes })]
    }
    case "checks":
      // mayGoOn: lead.held and store.isInPlace; otherwise IndexUpdater steps down and tries again.
      if (without !== "held before committing" && !(state.lock === own.lead && state.index === own.index))
        return [fail()]
      return [go({ phase: "commits", isOvertaken: false })]
    case "commits": {
      // Store.transaction. A commit to an index.db that has no name any more harms nothing.
      // Between check and commit lock.db may be removed by hand: that costs one commit, and the next check fails.
      const late = own.late + (own.isOvertaken && state.index === own.index ? 1 : 0)
      const committed = [...new Set([...state.committed, own.index])].sort((a, b) => a - b)
      const broken = late > removals ? `${at} commits to the index of another leader` : ""
      return [go({ phase: "checks", late }, { ...state, committed, broken }), go({ phase: "releases" })]
    }
    case "removes index":
      // removeIndexFolder: all files but the lock.
      return without === "lock last in clean" && state.lock !== 0
        ? [set({ ...state, lock: 0 }, at, own)]
        : [go({ phase: "removes lock" }, { ...state, index: 0 })]
    case "removes lock":
      // removeIndexFolder: the lock, by its name.
      return [go({ phase: "releases" }, { ...state, lock: 0 })]
    case "releases":
      // LeaderLock.release: ROLLBACK and close. A server that was closed is started again; clean ends.
      return [own.role === "clean" ? go({ ...START, role: "clean", phase: "done" }) : fail()]
    default:
      return []
  }
}

function takeLead(state: State, at: number): State {
  const own = state.processes[at]!
  const processes = state.processes.map((other, i) => {
    if (i === at)
      return {
        ...own,
        lead: own.open,
        phase: own.role === "clean" ? ("removes index" as const) : ("opens index" as const),
      }
    return other.lead === 0 ? other : { ...other, isOvertaken: true }
  })
  return { ...state, processes }
}

function isLocked({ processes }: State, inode: number): boolean {
  return processes.some(({ open, hasLock }) => hasLock && open === inode)
}

function set(state: State, at: number, process: Process): State {
  return { ...state, processes: state.processes.map((old, i) => (i === at ? process : old)) }
}

/** States that differ only in the numbers of their inodes are one; inodes that nothing refers to are forgotten. */
function keyOf(state: State): string {
  const numbers = new Map<number, number>([[0, 0]])
  const number = (inode: number) => {
    if (!numbers.has(inode)) numbers.set(inode, numbers.size)
    return numbers.get(inode)!
  }
  const { lock, index, processes, crashes, removals, broken } = state
  const parts = [
    number(lock),
    number(index),
    ...processes.map((own) =>
      [
        own.role,
        own.phase,
        number(own.before),
        number(own.open),
        own.hasLock,
        number(own.lead),
        number(own.index),
        own.isOvertaken,
        own.late,
        own.attempts,
      ].join(),
    ),
  ]
  const committed = state.committed.flatMap((inode) => numbers.get(inode) ?? []).sort()
  return [...parts, committed.join("+"), crashes, removals, broken].join("|")
}
