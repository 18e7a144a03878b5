import { hashTerm } from "./hash.ts"
import { words } from "./identifiers.ts"
import { stem } from "./stem.ts"

/**
 * The term of a word, which is what the index stores: its stem or, if programmers commonly abbreviate the word, the
 * stem of the abbreviation, because questions say "configuration" and code says cfg (labelled queries: +.006 NDCG@10).
 */
export function termOf(word: string): string {
  const root = stem(word)
  return shortForms().get(root) ?? root
}

/** The term of a whole identifier as one word: getuserbyid for getUserById. */
export function compoundOf(name: string): string {
  return termOf(words(name).join(""))
}

/**
 * Does for the hash of a stem, given as two halves, what `termOf` does for a word: returns the index of the
 * abbreviation in the arrays of `short`; -1 if there is none.
 */
export function shortForm(hi: number, lo: number): number {
  if ((filter[(lo >>> 5) & FILTER_MASK]! & (1 << (lo & 31))) === 0) return -1
  const at = byLow.get(lo)
  return at !== undefined && long[at] === hi ? at : -1
}

/** The two halves of the hashes of the abbreviations. */
export const short = { hi: [] as number[], lo: [] as number[] }

// Each line: an abbreviation, and the words that it stands for. Forms of a word that share a stem are listed once.
const SHORT_FORMS = `
addr address
alloc allocate allocation allocator
app application
arg argument
async asynchronous asynchronously
attr attribute
auth authentication authenticate authorization authorize
buf buffer
char character
cmd command
config configuration configure cfg conf
conn connection
ctx context
db database
def definition
dest destination dst
dir directory
doc document documentation
env environment
err error
exec execute execution executable
expr expression
func function fn
gen generate generation generator
impl implementation
info information
init initialize initialise initialization initializer
int integer
len length
lib library
max maximum
mem memory
min minimum
msg message
num number
param parameter
pkg package
prev previous
proc process
prop property
ptr pointer
ref reference
repo repository
req request
res response resp
spec specification
src source
stmt statement
str string
sync synchronous synchronize synchronization
tmp temporary temp
util utility
val value
var variable
`

// Tables for `shortForm`, which runs for every word of every text. `filter` is a Bloom filter over the low halves of
// the hashes, which rejects most words; `byLow` maps the low half of a long form's hash to its number, and `long` holds the high half by that number.
const FILTER_MASK = 127
const filter = new Int32Array(FILTER_MASK + 1)
const byLow = new Map<number, number>()
const long: number[] = []
let forms: Map<string, string> | undefined

function shortForms(): Map<string, string> {
  if (forms === undefined) {
    forms = new Map()
    for (const line of SHORT_FORMS.trim().split("\n")) {
      const [first, ...others] = line.split(" ")
      for (const other of others) if (stem(other) !== stem(first!)) forms.set(stem(other), stem(first!))
    }
  }
  return forms
}

for (const [from, to] of shortForms()) {
  const [hi, lo] = halves(hashTerm(from))
  const [toHi, toLo] = halves(hashTerm(to))
  filter[(lo >>> 5) & FILTER_MASK]! |= 1 << (lo & 31)
  byLow.set(lo, long.length)
  long.push(hi)
  short.hi.push(toHi)
  short.lo.push(toLo)
}

function halves(hash: bigint): [number, number] {
  return [Number(hash >> 32n), Number(hash & 0xffff_ffffn)]
}
