/**
 * Replaces the groups in a template by their text. $1, ${1}, $name and ${name} are groups; `textOf` returns null for an
 * unknown group, which is replaced by "". $$ is a dollar sign. As in ripgrep, a name without braces is as long as
 * possible: $1a is the group "1a".
 */
export function filledIn(template: string, textOf: (group: string) => string | null): string {
  return template.replace(/\$(?:\$|(\w+)|\{(\w+)\})/g, (_, bare?: string, braced?: string) => {
    const group = bare ?? braced
    return group === undefined ? "$" : (textOf(group) ?? "")
  })
}
