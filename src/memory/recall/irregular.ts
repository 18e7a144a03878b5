/**
 * The base form of an irregular word, or the word itself. A question asks "did she buy" and the answer says
 * "I bought"; a stemmer does not map both to the same term.
 */
export function baseForm(word: string): string {
  return FORMS.get(word) ?? word
}

/**
 * True for an irregular past form of a verb; false for plurals and for verb forms that are not past forms.
 */
export function isPastForm(word: string): boolean {
  const base = FORMS.get(word)
  return base !== undefined && !NOUNS.has(base) && !NO_PAST.has(word)
}

export function irregularForms(): Iterable<string> {
  return FORMS.keys()
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

const FORMS = new Map(
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
