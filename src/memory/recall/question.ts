/*
 * Reads a question for recall: its terms with their other forms (compounds, parts of identifiers, corrected
 * spellings), the rarity of each, and facts about the question: dates, amounts, the author and the category that it
 * names.
 */

import { inverseDocumentFrequency } from "../../base/index.ts"
import { ASCII, folded, isFunctionWord, isUnspaced, loneCharacters, termOf, words } from "../../text/index.ts"
import type { Corpus } from "./index/corpus.ts"

/** A word of the question as a search term. */
export type QueryTerm = {
  readonly term: string
  readonly idf: number
  /** Stored terms that count as this word, each with its weight. */
  readonly variants: readonly Variant[]
}

type Variant = { readonly number: number; readonly weight: number }

export type RecallQuestion = {
  readonly text: string
  readonly terms: readonly QueryTerm[]
  /** Sum of the idf of all terms: the score of an entry that contains all of them. */
  readonly idfSum: number
  readonly asksWhen: boolean
  readonly asksHowMany: boolean
  /** True when the question asks what the agent said. */
  readonly asksAgent: boolean
  /** Days, months and years that the question names. */
  readonly dates: ReturnType<typeof namedDates>
  /** Stored terms of things in a category that the question names («sports»: tennis, yoga …). */
  readonly instances: readonly number[]
  /** The author that the question names; null when it names none or several. */
  readonly author: string | null
}

export function readQuestion(text: string, corpus: Corpus): RecallQuestion {
  const forms = questionTerms(text)
  let respelled = 0
  const terms = [...forms.values()].map((form) => {
    const query = queryTerm(corpus, form)
    if (query.variants.length > 0 || !isSpelled(form.word) || ++respelled > MAX_RESPELLED) return query
    return respelledTerm(corpus, form)
  })
  // If the question has more than MAX_TERMS words, those that no entry contains are dropped first. They have the
  // highest idf and would otherwise displace words that entries contain.
  const isLong = terms.length > MAX_TERMS
  const isFound = ({ variants }: QueryTerm) => Number(isLong && variants.length > 0)
  terms.sort((a, b) => isFound(b) - isFound(a) || b.idf - a.idf)
  const kept = terms.slice(0, MAX_TERMS).sort((a, b) => b.idf - a.idf)
  return {
    text,
    terms: kept,
    idfSum: kept.reduce((sum, { idf }) => sum + idf, 0),
    asksWhen: WHEN.test(text),
    asksHowMany: HOW_MANY.test(text),
    asksAgent: AGENT_SAID.test(text),
    dates: namedDates(text),
    instances: instancesAsked(text, corpus),
    author: namedAuthor(text, corpus),
  }
}

// Max words of a question that are used, the rarest ones: a pasted prompt has hundreds of words, and the rarest show
// its subject.
const MAX_TERMS = 32
/** Weight of a compound that contains the word, which is weaker evidence than the word itself. */
const COMPOUND_WEIGHT = 0.7
/** A single character of a pair of Chinese characters can be a word of its own. */
const CHARACTER_WEIGHT = 0.3
/** Weight of a stored word at an edit distance of one from the word. */
const RESPELLED_WEIGHT = 0.7
/** Only the first unknown words of a question are treated as misspelt, because each costs about 1 ms. */
const MAX_RESPELLED = 100
/** Min length of a word whose spelling is corrected; shorter words are one edit away from too many other words. */
const MIN_RESPELLED_LENGTH = 4
/** Max length of a word whose spelling is corrected; longer runs of letters are data. */
const MAX_RESPELLED_LENGTH = 24

const WHEN =
  /\b(?:when|what (?:date|day|month|year|time)|which (?:date|day|month|year)|how long ago|since|until)\b|什么时候|几[月号日点]|何时|哪[天年]/i
const HOW_MANY =
  /\bhow (?:many|much|long|often|old|far|big|tall|large)\b|\bwhat (?:number|amount|percentage)\b|多少|几[个岁次]/i
const AGENT_SAID =
  /\byou (?:\w+ )?(?:said|told|mentioned|suggested|recommended|provided|gave|listed|explained|shared|advised|proposed|wrote|described)\b|\bdid you (?:say|tell|mention|suggest|recommend|provide|give|list|explain|share|advise|propose|write|describe)\b|\byour (?:advice|answer|list|explanation|suggestion|recommendation)|\bremind me (?:what|of|about|which|how|who|where)\b/i

type WordForms = {
  readonly word: string
  readonly term: string
  readonly weights: Map<string, number>
}

function isSpelled(word: string): boolean {
  return word.length >= MIN_RESPELLED_LENGTH && word.length <= MAX_RESPELLED_LENGTH && /^[a-z]+$/.test(word)
}

/** The question's words as terms, each with its other forms and their weights. */
function questionTerms(text: string): Map<string, WordForms> {
  const all = words(text)
  const contentWords = all.filter((word) => !isFunctionWord(word))
  const kept = contentWords.length > 0 ? contentWords : all
  const forms = new Map<string, WordForms>()
  for (const word of kept) {
    const term = termOfWord(word)
    if (!forms.has(term)) forms.set(term, { word, term, weights: new Map([[term, 1]]) })
  }
  // Two successive words are also searched as one: "web socket" finds websocket.
  for (let i = 0; i + 1 < kept.length; i++) {
    const pair = kept.slice(i, i + 2)
    if (!pair.some(isUnspaced)) attach(forms, pair, [termOfWord(pair.join(""))])
  }
  for (const run of text.match(RUNS) ?? [])
    if (!PLAIN.test(run)) attach(forms, words(run), analyseTerms(run).besides)
  return forms
}

const RUNS = /[\p{L}\p{N}\p{M}_-]+/gu
/**
 * A run without inner capitals, separators or letters beyond ASCII: its words alone find it, so no other
 * forms are needed.
 */
const PLAIN = /^[A-Z]*[a-z0-9]*$/

function attach(
  forms: ReadonlyMap<string, WordForms>,
  parts: readonly string[],
  others: readonly string[],
): void {
  const characters = new Set(others.filter(isUnspaced))
  const compounds = new Set(others.filter((other) => !isUnspaced(other)))
  const few = [...compounds].slice(0, MAX_COMPOUNDS)
  for (const part of new Set(parts)) {
    const of = forms.get(termOfWord(part))?.weights
    if (of === undefined) continue
    const own = [...part].filter((character) => characters.has(character))
    for (const other of own) if (!of.has(other)) of.set(other, CHARACTER_WEIGHT)
    for (const other of few) if (!of.has(other)) of.set(other, COMPOUND_WEIGHT)
  }
}

/** Maximum of compounds per run: a name has one or two forms, and a run with more is data. */
const MAX_COMPOUNDS = 8

function queryTerm(corpus: Corpus, { term, weights }: WordForms): QueryTerm {
  const variants: Variant[] = []
  for (const [form, weight] of weights) {
    const number = corpus.dictionary.find(form)
    if (number >= 0 && corpus.holders(number) > 0) variants.push({ number, weight })
  }
  return withRarity(corpus, term, variants)
}

/** The query term of a word that no entry contains, matched by stored words at an edit distance of one. */
function respelledTerm(corpus: Corpus, { word, term }: WordForms): QueryTerm {
  const held = [...corpus.dictionary.respelled(word)].filter((number) => corpus.holders(number) > 0)
  const variants = held.map((number) => ({ number, weight: RESPELLED_WEIGHT }))
  return withRarity(corpus, term, variants)
}

function withRarity(corpus: Corpus, term: string, variants: readonly Variant[]): QueryTerm {
  const exact = variants.filter(({ weight }) => weight === 1)
  const holders = (exact.length > 0 ? exact : variants).map(({ number }) => corpus.holders(number))
  return { term, variants, idf: inverseDocumentFrequency(corpus.size, Math.max(0, ...holders)) }
}

/** The only author whose first name occurs in the question; null when none or several do. */
function namedAuthor(text: string, corpus: Corpus): string | null {
  if (corpus.authors.size < 2) return null
  const named = corpus.authorsAmong(new Set(words(text)))
  return named.length === 1 ? named[0]! : null
}

type Terms = {
  /** One term per word, in text order. */
  readonly inOrder: readonly string[]
  /**
   * Additional terms that find the text: whole identifiers, words without their accents, single Han
   * characters.
   */
  readonly besides: readonly string[]
}

/** The terms of a text. Questions and entries are analysed the same way. */
export function analyseTerms(text: string): Terms {
  const found = words(text)
  const inOrder = found.map(termOfWord)
  const besides = identifiers(text)
  if (!ASCII.test(text)) besides.push(...otherForms(text, found))
  return { inOrder, besides }
}

/** The term of a word; cached, because conversations repeat the same words. */
export function termOfWord(word: string): string {
  let term = termCache.get(word)
  if (term === undefined) {
    term = termOf(LEADING_ZERO.test(word) ? word.slice(1) : baseForm(word))
    if (termCache.size >= MAX_CACHED) termCache.clear()
    termCache.set(word, term)
  }
  return term
}

/** The first term of a text of one or two words, or the text when it has none; cached. */
export function firstTermOf(text: string): string {
  let term = firsts.get(text)
  if (term === undefined) {
    term = analyseTerms(text).inOrder[0] ?? text
    if (firsts.size >= MAX_CACHED) firsts.clear()
    firsts.set(text, term)
  }
  return term
}

const termCache = new Map<string, string>()
const firsts = new Map<string, string>()
const MAX_CACHED = 50_000

/** Matches a number with a leading zero, such as 05 in a date; sentences write 5. */
const LEADING_ZERO = /^0\d$/

// Words with a dash, an underscore or an inner capital. The lookbehind makes matching start at a word's first
// character only; otherwise a long run of letters takes quadratic time.
const IDENTIFIERS =
  /(?<![A-Za-z0-9])(?:[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[A-Za-z0-9]*[a-z][A-Z][A-Za-z0-9]*)/g

function identifiers(text: string): string[] {
  const found: string[] = []
  for (const name of text.match(IDENTIFIERS) ?? []) {
    const parts = words(name)
    if (parts.length > 1 && parts.some((part) => part > "a")) found.push(termOfWord(parts.join("")))
  }
  return found
}

function otherForms(text: string, found: readonly string[]): string[] {
  const forms = loneCharacters(text)
  for (const word of found) {
    const plain = isUnspaced(word) ? word : folded(word)
    if (plain !== word && plain !== "") forms.push(termOfWord(plain))
  }
  return forms
}

/** A day, month or year that a question names; null for parts that it leaves open. */
type NamedDate = { readonly year: number | null; readonly month: number | null; readonly day: number | null }

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
)
const MONTH = `(?<month>${MONTHS.map((name) => (name.length > 4 ? `${name.slice(0, 3)}(?:${name.slice(3)})?` : name)).join("|")})\\.?`
const YEAR = String.raw`(?:,?\s+(?:of\s+)?(?<year>(?:19|20)\d\d))?`
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`

/**
 * «8 May 2023», «May 8th», «May 2023», «in May», «2023-05-08», «2023»: each form is tried where the previous one does
 * not match.
 */
const FORMS = [
  new RegExp(String.raw`\b${DAY}\s+(?:of\s+)?${MONTH}\b${YEAR}`, "gi"),
  new RegExp(String.raw`\b${MONTH}\s+${DAY}\b${YEAR}`, "gi"),
  /\b(?<year>(?:19|20)\d\d)-(?<number>\d\d)(?:-(?<day>\d\d))?\b/g,
  new RegExp(
    String.raw`\b(?:in|of|during|since|by|from|until|early|mid|late|last|this)\s+${MONTH}\b${YEAR}`,
    "gi",
  ),
  new RegExp(String.raw`\b${MONTH},?\s+(?:of\s+)?(?<year>(?:19|20)\d\d)\b`, "gi"),
  /\b(?:in|of|during|since|by|from|until|early|mid|late)\s+(?<year>(?:19|20)\d\d)\b/gi,
]

/** The dates that a question names, the most exact form of each. */
export function namedDates(text: string): readonly NamedDate[] {
  let left = text
  const found: NamedDate[] = []
  for (const form of FORMS) {
    left = left.replace(form, (match, ...args) => {
      const { year, month, number, day } = args.at(-1) as Readonly<Record<string, string | undefined>>
      const at =
        month === undefined
          ? Number(number)
          : MONTHS.findIndex((name) => name.startsWith(month.toLowerCase().slice(0, 3))) + 1
      found.push({
        year: year === undefined ? null : Number(year),
        month: month === undefined && number === undefined ? null : at,
        day: day === undefined ? null : Number(day),
      })
      return " ".repeat(match.length)
    })
  }
  return found.slice(0, 8)
}

/** Number of days after a named day in which people still tell what happened on it. */
const TOLD_WITHIN_DAYS = 3

const DAY_MS = 24 * 3_600_000

/**
 * True when an entry recorded at this time may be about one of the dates: it was recorded on that date, or within
 * TOLD_WITHIN_DAYS after a named day.
 */
export function isAtDate(dates: readonly NamedDate[], recordedAt: string): boolean {
  const time = new Date(recordedAt)
  return dates.some(({ year, month, day }) => {
    if (day !== null && month !== null) {
      const named = Date.UTC(year ?? time.getUTCFullYear(), month - 1, day)
      const days = (time.getTime() - named) / DAY_MS
      return days >= 0 && days < TOLD_WITHIN_DAYS + 1
    }
    return (
      (year === null || time.getUTCFullYear() === year) &&
      (month === null || time.getUTCMonth() + 1 === month)
    )
  })
}

/**
 * Categories that questions ask for («which sports», «what database») and words of things in them, from general
 * knowledge: the entry that answers names the thing and not its category. Words with another common meaning (go, may,
 * turkey, swift) are left out.
 */
const CATEGORIES: readonly (readonly [asked: string, instances: string])[] = [
  [
    "country countries abroad nation nations",
    `argentina australia austria bangladesh belgium brazil bulgaria cambodia canada chile china colombia croatia cuba cyprus
    czech denmark ecuador egypt england estonia ethiopia finland france germany ghana greece guatemala hungary iceland
    india indonesia iran iraq ireland israel italy jamaica japan kenya korea latvia lebanon lithuania malaysia malta mexico
    morocco nepal netherlands nigeria norway pakistan panama peru philippines poland portugal romania russia scotland
    serbia singapore slovakia slovenia spain sweden switzerland taiwan tanzania thailand tunisia ukraine uruguay usa
    venezuela vietnam wales bali caribbean`,
  ],
  [
    "city cities town towns",
    `amsterdam athens atlanta austin baltimore bangkok barcelona beijing berlin boston brussels budapest cairo chicago
    copenhagen dallas delhi denver detroit dubai dublin edinburgh florence geneva hamburg helsinki houston istanbul kyoto
    lisbon london madrid manchester melbourne miami milan montreal moscow mumbai munich nairobi naples nashville oslo paris
    philadelphia phoenix pittsburgh portland prague rome seattle seoul shanghai stockholm sydney tokyo toronto valencia
    vancouver venice vienna warsaw washington zurich vegas angeles francisco york orleans`,
  ],
  [
    "state states",
    `alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho illinois indiana iowa
    kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada
    hampshire jersey mexico york carolina dakota ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia
    wisconsin wyoming`,
  ],
  [
    "sport sports exercise exercises workout workouts game games",
    `badminton baseball basketball bowling boxing climbing cricket cycling darts fencing football frisbee golf gymnastics
    handball hiking hockey jogging judo karate kayaking kickboxing lacrosse lifting marathon padel paddleboarding pilates
    rafting rowing rugby running sailing skateboarding skating skiing snowboarding soccer softball squash surfing swimming
    taekwondo tennis triathlon volleyball weights wrestling yoga zumba`,
  ],
  ["martial", "aikido boxing capoeira jiujitsu judo karate kickboxing krav kung muay taekwondo wrestling"],
  [
    "instrument instruments",
    `accordion banjo bass cello clarinet drums flute guitar harmonica harp keyboard mandolin oboe piano saxophone trombone
    trumpet tuba ukulele viola violin`,
  ],
  [
    "hobby hobbies activity activities pastime pastimes interests leisure destress unwind relax",
    `archery baking birdwatching blogging camping chess cooking crafting crocheting cycling dancing drawing fishing
    gardening gaming hiking jogging journaling kayaking knitting meditating meditation painting photography pottery
    reading running sailing sewing singing skating skiing snowboarding surfing swimming traveling woodworking writing yoga
    climbing museum movies picnic`,
  ],
  [
    "pet pets animal animals",
    `bird birds budgie bunny cat cats chicken cow dog dogs duck ferret fish gecko goat goldfish hamster hedgehog horse
    horses iguana kitten kittens lizard parrot pig pony puppies puppy rabbit rabbits rat sheep snake tortoise turtle`,
  ],
  [
    "relative relatives family sibling siblings",
    `aunt brother brothers cousin cousins dad daughter daughters father grandfather grandma grandmother grandpa granny
    husband mom mother mum nephew niece sister sisters son sons uncle wife`,
  ],
  ["child children kid kids", "daughter daughters son sons toddler baby twins"],
  [
    "food foods dish dishes meal meals cuisine recipe recipes dessert desserts snack snacks ingredient ingredients",
    `bacon bagel beef bread brownies burger burrito cake cheese cheesecake chicken chili chocolate cookies couscous curry
    dumplings eggs falafel fish fries gnocchi hummus ice kebab lasagna lobster macaroni muffins noodles omelette paella
    pancakes pasta pastry pesto pie pizza pork potatoes pudding quiche quinoa ramen ravioli rice risotto salad salmon
    sandwich sausage shrimp smoothie soup spaghetti steak stew stir sushi tacos tart tiramisu tofu tuna turkey vegetables
    waffles`,
  ],
  [
    "drink drinks beverage beverages",
    "beer champagne cider cocktail coffee espresso juice latte lemonade matcha milk rum smoothie soda tea vodka whiskey wine",
  ],
  [
    "job jobs occupation profession career",
    `accountant actor analyst architect banker barista baker carpenter chef clerk coach consultant counselor dentist
    designer developer doctor editor electrician engineer farmer firefighter intern journalist lawyer librarian manager
    mechanic musician nanny nurse pharmacist photographer pilot plumber programmer psychologist receptionist researcher
    salesman scientist secretary surgeon teacher therapist translator tutor veterinarian waiter waitress writer`,
  ],
  [
    "vehicle vehicles transport transportation",
    "bicycle bike boat bus car ferry helicopter motorcycle plane scooter ship subway taxi train tram truck van",
  ],
  [
    "color colors colour colours",
    "beige black blonde blue brown gold gray green grey orange pink purple red silver turquoise violet white yellow",
  ],
  [
    "season month months",
    "january february april june july august september october november december spring summer autumn fall winter",
  ],
  [
    "language languages",
    `arabic chinese dutch english french german greek hebrew hindi italian japanese korean mandarin polish portuguese
    russian spanish swedish turkish c clojure cobol dart elixir erlang fortran golang haskell java javascript julia kotlin
    lua ocaml perl php python ruby rust scala typescript zig`,
  ],
  [
    "genre genres music",
    "blues classical country disco electronic folk funk hiphop indie jazz metal opera pop punk rap reggae rock soul techno",
  ],
  [
    "event events",
    `anniversary auction ceremony competition concert conference exhibition fair festival fundraiser gala hackathon marathon
    meetup parade parties party picnic premiere race reunion show showcase tournament wedding workshop`,
  ],
  [
    "furniture item items bought purchased gift gifts",
    `bag blanket book bracelet camera candle chair couch desk doll dress earrings figurine figurines flowers guitar hat
    jacket jewelry lamp laptop mug necklace notebook perfume phone pillow ring shirt shoes sofa sweater table toy vase
    watch`,
  ],
  [
    "database databases datastore dbms",
    `aurora bigquery cassandra clickhouse cockroachdb couchdb db2 duckdb dynamodb elasticsearch firestore influxdb mariadb
    mongo mongodb mysql neo4j oracle postgres postgresql redis redshift snowflake sqlite supabase timescale`,
  ],
  [
    "queue queues broker messaging",
    "activemq bullmq celery kafka mqtt nats pulsar rabbitmq sidekiq sqs zeromq",
  ],
  ["browser browsers", "chrome chromium edge firefox safari webkit opera"],
  [
    "cloud hosting host provider providers",
    "aws azure cloudflare digitalocean fly gcp heroku hetzner netlify render vercel",
  ],
  [
    "framework frameworks",
    `angular astro django ember express fastapi fastify flask gin hono laravel nest nestjs next nextjs nuxt phoenix preact
    rails react remix solid spring svelte symfony vue`,
  ],
  [
    "linter formatter linting formatting",
    "biome black clippy eslint flake8 gofmt mypy oxlint prettier pylint ruff rubocop rustfmt stylelint",
  ],
  ["bundler bundlers", "bun esbuild parcel rolldown rollup rspack swc turbopack vite webpack"],
  [
    "runner",
    "ava cypress jasmine jest junit mocha nose playwright puppeteer pytest rspec selenium tap unittest vitest",
  ],
  ["manager", "bun bundler cargo composer gradle maven npm pip pipenv pnpm poetry uv yarn"],
  [
    "monitoring observability alerting metrics",
    "datadog grafana honeycomb jaeger kibana loki newrelic opentelemetry pagerduty prometheus sentry splunk",
  ],
  ["ci pipeline pipelines", "buildkite circleci concourse drone gitlab jenkins teamcity travis"],
]

/** Words that ask for things of the category that one of the next words names: «which of her sports». */
const ASKING: ReadonlySet<string> = new Set([
  "what",
  "which",
  "whose",
  "where",
  "list",
  "name",
  "many",
  "kind",
  "kinds",
])

/** Numbers of the stored terms that name something in a category for which the question asks. */
function instancesAsked(text: string, corpus: Corpus): readonly number[] {
  const found = new Set<number>()
  let asked = Number.NEGATIVE_INFINITY
  for (const [at, word] of words(text).entries()) {
    if (ASKING.has(word)) asked = at
    if (at - asked > 4) continue
    for (const term of instancesOf().get(termOfWord(word)) ?? []) {
      const number = corpus.dictionary.find(term)
      if (number >= 0 && corpus.holders(number) > 0) found.add(number)
    }
  }
  return [...found]
}

let read: ReadonlyMap<string, readonly string[]> | null = null

function instancesOf(): ReadonlyMap<string, readonly string[]> {
  if (read !== null) return read
  const made = new Map<string, string[]>()
  for (const [asked, instances] of CATEGORIES) {
    const terms = words(instances).map(termOfWord)
    for (const term of new Set(words(asked).map(termOfWord)))
      made.set(term, [...(made.get(term) ?? []), ...terms])
  }
  read = made
  return made
}

/**
 * The base form of an irregular word, or the word itself. A question asks "did she buy" and the answer says
 * "I bought"; a stemmer does not map both to the same term.
 */
function baseForm(word: string): string {
  return IRREGULAR.get(word) ?? word
}

/**
 * True for an irregular past form of a verb; false for plurals and for verb forms that are not past forms.
 */
export function isPastForm(word: string): boolean {
  const base = IRREGULAR.get(word)
  return base !== undefined && !NOUNS.has(base) && !NO_PAST.has(word)
}

export function irregularForms(): Iterable<string> {
  return IRREGULAR.keys()
}

// Each line: a base form, then its other forms. Forms that are more often another word are left out; saw,
// left, found and felt are listed all the same.
const TABLE = `
be am is are was were been being
become became
begin began begun
bend bent
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
come came
deal dealt
dig dug
do did does done
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone goes
grow grew grown
hang hung
have had has
hear heard
hide hid hidden
hold held
keep kept
know knew known
lay laid
lead led
learn learnt
leave left
lend lent
light lit
lose lost
make made
mean meant
meet met
pay paid
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
speak spoke spoken
spend spent
spin spun
stand stood
steal stole stolen
stick stuck
strike struck
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
weep wept
win won
write wrote written
child children
foot feet
goose geese
knife knives
leaf leaves
life lives
man men
mouse mice
person people
shelf shelves
tooth teeth
wife wives
wolf wolves
woman women
`

const IRREGULAR = new Map(
  TABLE.trim()
    .split("\n")
    .flatMap((line) => {
      const [base, ...others] = line.split(" ")
      return others.map((other) => [other, base!] as const)
    }),
)

const NOUNS: ReadonlySet<string> = new Set(
  "child foot goose knife leaf life man mouse person shelf tooth wife wolf woman".split(" "),
)
const NO_PAST: ReadonlySet<string> = new Set("am is are does has become begun done".split(" "))
