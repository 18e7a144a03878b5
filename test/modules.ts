import { randomFrom } from "./random.ts"

const SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split(" ")

/** A Python file with words of its own, so that none is as near to a question as another is; another each round. */
export function moduleOf(index: number, round: number): [path: string, text: string] {
  const random = randomFrom(index * 1_000 + round)
  const word = () => Array.from({ length: 3 }, () => SYLLABLES[Math.floor(random() * 20)]).join("")
  const functions = Array.from({ length: 4 + (index % 12) }, () => {
    const [name, other] = [word(), word()]
    return `def ${name}_${other}(${word()}):\n    """${word()} the ${word()} of ${word()}."""\n    return ${other}(${word()})\n`
  })
  return [`p${index % 23}/m${index}.py`, `class ${word()}:\n    pass\n\n\n${functions.join("\n\n")}`]
}
