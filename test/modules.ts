import { randomFrom } from "./random.ts"

const SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split(" ")

/**
 * Names that many modules define and use. Answers about them would depend on the order of files if they were
 * not sorted.
 */
export const SHARED_NAMES = ["advance", "common_step", "Base1"]

/**
 * A Python file with words of its own, so that no two files are equally near to a question, and with names
 * that other files define as well. The text differs from round to round.
 */
export function moduleOf(index: number, round: number): [path: string, text: string] {
  const random = randomFrom(index * 1_000 + round)
  const word = () => Array.from({ length: 3 }, () => SYLLABLES[Math.floor(random() * 20)]).join("")
  const functions = Array.from({ length: 4 + (index % 12) }, () => {
    const [name, other] = [word(), word()]
    return `def ${name}_${other}(${word()}):\n    """${word()} the ${word()} of ${word()}."""\n    return ${other}(${word()})\n`
  })
  const own = `class ${word()}:\n    pass\n\n\n${functions.join("\n\n")}`
  const shared = index % 3 === 0 ? sharedBy(index + Math.floor(random() * 4)) : ""
  return [`p${index % 23}/m${index}.py`, `${own}${shared}`]
}

function sharedBy(number: number): string {
  const [stage, base] = [`Stage${number % 9}`, `Base${number % 5}`]
  return `
class ${base}:
    def advance(self):
        return common_step(self)


class ${stage}(${base}):
    def advance(self, other):
        return other.advance(common_step(self))


def common_step(value):
    return ${stage}().advance(value)
`
}
