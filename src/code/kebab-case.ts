/** `my-card` → `myCard` */
export function camelCase(kebab: string): string {
  return kebab.replace(/-+(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** `my-card` → `MyCard` */
export function pascalCase(kebab: string): string {
  const camel = camelCase(kebab)
  return camel.charAt(0).toUpperCase() + camel.slice(1)
}
