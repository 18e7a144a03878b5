/** Offers a text as a file to save. */
export function save(name: string, text: string): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text]))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}
