/**
 * The template with the text of its groups: $1, ${1}, $name and ${name} are groups, "" where `textOf` knows none; $$ is
 * a dollar sign. Like ripgrep, a bare name is as long as it can be: $1a is the group "1a".
 */
export function filledIn(template: string, textOf: (group: string) => string | null): string {
  return template.replace(/\$(?:\$|(\w+)|\{(\w+)\})/g, (_, bare?: string, braced?: string) => {
    const group = bare ?? braced
    return group === undefined ? "$" : (textOf(group) ?? "")
  })
}
