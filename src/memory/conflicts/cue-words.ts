import { stem } from "../../text/terms/stem.ts"

/**
 * Words that show how a statement relates to earlier statements. They are English, and so are the rules that use
 * them. In other languages only values and declared supersessions are recognised.
 */

/** Function words; ignored when statements are compared. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those there here it its itself i me my mine myself we us our ours you your yours he him his
  she her hers they them their theirs who whom whose which what when where why how and or but nor so if then else than
  as at by for from in into of off on onto out over to under up down with within without about above after before
  between during through until till via per is are was were be been being am do does did done doing have has had having
  will would shall should can could may might must ought not no never none cannot don doesn didn isn aren wasn weren won
  wouldn shouldn couldn hasn haven hadn ain ve ll re im d s t m some any all each every both either neither such same
  other another more most less least much many few several lot very really quite just also too even only still yet
  again already ever always often usually sometimes rather actually basically simply please thanks thank yes ok okay
  well oh hey hi like kind sort kinda bit let get got getting gets make makes made making thing things way one ones
  because since while though although however therefore etc want need know think use uses used using run runs ran
  running live lives lived now currently nowadays anymore longer instead switch switched switches change changed changes
  move moved moves update updated updates upgrade upgraded raise raised lower lowered increase increased decrease
  decreased reduce reduced extend extended adjust adjusted postpone postponed reschedule rescheduled rename renamed
  replace replaced migrate migrated gone dropped drops removed deprecated supersedes superseded around far recently lately finally new newly called took taken`.split(
    /\s+/,
  ),
)

const CHANGING = `moved, moves, moving, renamed, switched, switches, switching, migrated, migrating, replaced, replaces,
  replacing, dropped, drops, got rid, get rid, took over, taken over, traded, is gone, are gone, was gone, removed,
  removes, deprecated, superseded, supersedes, in favor of, in favour of, instead of, rather than, no longer, anymore,
  any more, any longer, ditched, abandoned, retired, resigned, quit, sold, ended, slipped, swapped, handed over,
  hand(?:ed)? (?:that|it|this) over, broke up, split up, divorced, fell through, called off, cancelled, canceled,
  phased out, taken out, moved out, for good, changed (?:my|our|his|her|their) minds?,
  (?:since|after|with) the \\w+ (?:change|rewrite|switch|move|migration|upgrade|update|rewrite)`
const MEASURED = `changed, changes, changing, updated, updates, updating, upgraded, upgrades, upgrading, downgraded,
  increased, increases, increasing, decreased, decreases, decreasing, raised, raises, raising, lowered, lowers,
  lowering, reduced, reduces, reducing, extended, extending, shortened, bumped, bumps, bumping, adjusted, adjusting,
  improved, improves, improving, grew, grown, rescheduled, postponed, delayed, doubled, halved, tripled, corrected,
  revised, promoted, expanded, tightened, relaxed, reverted, rotated, converted, rewritten, refactored, relocated`

/** Phrases which state that something was different before, such as "no longer". */
export const REPLACEMENT = anyOf(
  `${CHANGING}, ${MEASURED}, now, currently, from now on, as of now, as of today, as of this, as of v?\\d[\\d.]*,
  correction, turns out, gave up`,
)

/** Phrases about change in general. They are weaker evidence than those in `REPLACEMENT`, and more common. */
export const CHANGE = anyOf(
  `${CHANGING}, ${MEASURED}, now, nowadays, currently, at present, as of, from now on, henceforth, instead, became,
  become, turned out, turned on, turned off, went from, went up, went down, went back, went with, gone up, gone down,
  new, newer, newest, newly, latest, recently, lately, finally, just, since then, since \\w+day, since last, since v?\\d[\\d.]*,
  up from, down from, up to, back to, bought, gave up, stopped, started, settled on, decided to, decided on, ended up,
  turns out, correction, actually, again, once more, these days, from here on, fixed, resolved, solved, effective, so far, already, risen, rose`,
)

/** Stems of the phrases in `CHANGE` that are single words. */
export const CHANGE_STEMS: ReadonlySet<string> = new Set(
  `${CHANGING}, ${MEASURED}`
    .split(/,\s+/)
    .filter((phrase) => /^[a-z]+$/.test(phrase))
    .map(stem),
)

/** Phrases that name what was replaced: the sentence contains the old value beside the new one. */
export const DISPLACEMENT = anyOf(
  `${CHANGING}, left, up from, down from, from [^.;]{1,40} to, (?:${MEASURED.replaceAll(/,\s*/g, "|")}) (?:\\w+ ){0,3}from`,
)

/** Phrases about the past. A statement with one of them supersedes no other, even if it was written later. */
export const HISTORY = anyOf(
  `used to, formerly, previously, originally, initially, back then, in those days, at the time, at first, historically,
  in the past, long ago, years ago, once was, once were, once had, had been, until v?\\d[\\d.]*, until last,
  when (?:I|we|he|she|they|it) (?:was|were|first), before (?:that|then|containers|v?\\d[\\d.]*), as before`,
)

/**
 * Pronouns of the first person singular. "We" does not count, because it means the project, and neither does "us",
 * which is often a country (US). Case-sensitive: "i" does not count, and neither does "I/O".
 */
export const FIRST_PERSON = /\b(?:I|[Mm]y|[Mm]e|[Mm]ine)\b(?!\/)/

/** Phrases that add to an earlier statement. */
export const ADDITION = anyOf(
  `also, too, as well, in addition, additionally, besides, furthermore, a second, second one, another, a third,
  other than, both, likewise, similarly, on top of (?:that|it|this)`,
)

/** Negation words; an odd number of them negates the clause. */
export const NEGATION = anyOf(
  `not, never, no, none, nothing, nobody, nowhere, neither, nor, cannot, \\w+n['’]t, lacks?, refus(?:e|es|ed),
  forbid\\w*, prohibit\\w*`,
  "gi",
)

/**
 * Words that deny without a negation word. A clause with one of them does not contradict a negated clause.
 */
export const REFUSAL = anyOf(
  `drop\\w*, remov\\w*, gone, refus\\w*, reject\\w*, disallow\\w*, deprecat\\w*, fail\\w*, errors?, forbid\\w*, disabled,
  unsupported, lacks?, without, stopp\\w*, banned, prevent\\w*`,
)

/** Hypothetical phrases; a clause with one of them denies nothing. */
export const HYPOTHETICAL = anyOf(
  `if, whether, unless, sure, certain, wonder\\w*, hope, hopes, hoping, afraid, worried, wish, should, would, could,
  might, maybe, perhaps, how to, how can, how do, how does, by not, no problem, no doubt, no matter, no idea, no wonder,
  no worries,
  can(?:not|['’]t) (?:wait|believe|imagine|get enough|complain|thank|help \\w+ing|stop \\w+ing),
  (?:I|we|you|he|she|they) can(?:not|['’]t) help$,
  never (?:forget|too late|fail(?:s|ed)? to|stop(?:s|ped)? \\w+ing),
  couldn['’]t (?:agree|be happier|have),
  (?:not|\\w+n['’]t) (?:just|only|simply|merely|necessarily|to mention|(?:[\\w'’]+ ){0,7}yet|(?:[\\w'’]+ ){0,4}(?:a lot|much|many|a ton|enough|every\\w*|(?<!at )all)),
  (?:do not|don['’]t) (?:know|think|want|forget|worry|hesitate|understand), not (?:know|think|want)`,
)

function anyOf(phrases: string, flags = "i"): RegExp {
  const alternatives = phrases.split(/,\s+/).map((phrase) => phrase.trim().replaceAll(/\s+/g, "\\s+"))
  return new RegExp(`\\b(?:${alternatives.join("|")})\\b`, flags)
}

/** Stems of the opposites of a stem; empty when it has none. */
export function oppositesOf(stemmed: string): readonly string[] {
  return OPPOSITES.get(stemmed) ?? []
}

const PAIRS = `enabled disabled, enable disable, enables disables, on off, true false, allowed forbidden, allows forbids,
  allowed disallowed, allowed prohibited, allowed banned, supported unsupported, safe unsafe, required optional,
  mandatory optional, stable unstable, works fails, works broken, passes fails, passing failing, succeeds fails,
  synchronous asynchronous, sync async, mutable immutable, ordered unordered, sorted unsorted, stateful stateless,
  blocking nonblocking, blocking non-blocking, public private, likes hates, love hate, loves hates, like dislike,
  open closed, encrypted plaintext, encrypted unencrypted, valid invalid, correct wrong, accepted rejected,
  accepts rejects, approved rejected, included excluded, includes excludes, cached uncached, known unknown,
  necessary unnecessary, reversible irreversible, deterministic nondeterministic, inclusive exclusive,
  ascending descending, increases decreases, case-sensitive case-insensitive, present absent,
  single-threaded multi-threaded, manual automatic, manually automatically, eager lazy, eagerly lazily, strict lenient,
  idempotent non-idempotent, reachable unreachable, available unavailable, possible impossible, complete incomplete,
  open resolved, open fixed, resolved unresolved, broken fixed, pending approved, pending completed, planned cancelled,
  single married, online offline, draft published`

const OPPOSITES: ReadonlyMap<string, readonly string[]> = readPairs()

function readPairs(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const pair of PAIRS.split(/,\s*/)) {
    const [a, b] = pair.trim().split(" ").map(stem) as [string, string]
    found.set(a, [...(found.get(a) ?? []), b])
    found.set(b, [...(found.get(b) ?? []), a])
  }
  return found
}
