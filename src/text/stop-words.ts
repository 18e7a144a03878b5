/** Words that carry nothing in a question about code; the list the ranker was fitted with. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "how is are the a an of to in on for and with by from does do what where which when it its via into that " +
    "this works work working be as at or if can use used using uses implementation implemented implements " +
    "implement through per between against under vs over after before their they them logic code s t"
  ).split(" "),
)
