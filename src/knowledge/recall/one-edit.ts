/** Whether one letter added, left out or changed, or two neighbours swapped, makes the one word the other. */
export function isOneEditApart(a: string, b: string): boolean {
  if (a.length > b.length) return isOneEditApart(b, a)
  if (b.length - a.length > 1 || a === b) return false
  let same = 0
  while (same < a.length && a.charCodeAt(same) === b.charCodeAt(same)) same++
  if (a.length < b.length) return a.slice(same) === b.slice(same + 1)
  if (a.slice(same + 1) === b.slice(same + 1)) return true
  return a[same] === b[same + 1] && a[same + 1] === b[same] && a.slice(same + 2) === b.slice(same + 2)
}
