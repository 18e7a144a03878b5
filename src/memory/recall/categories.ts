import { words } from "../../text/terms/identifiers.ts"
import type { Corpus } from "./index/corpus.ts"
import { termOfWord } from "./terms.ts"

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
const MAX_WORDS_BETWEEN = 3

/** Numbers of the stored terms that name something in a category for which the question asks. */
export function instancesAsked(text: string, corpus: Corpus): readonly number[] {
  const found = new Set<number>()
  let asked = Number.NEGATIVE_INFINITY
  for (const [at, word] of words(text).entries()) {
    if (ASKING.has(word)) asked = at
    if (at - asked > MAX_WORDS_BETWEEN + 1) continue
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
