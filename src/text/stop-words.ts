/** Words that carry nothing in a question about code; the list the ranker was fitted with. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "how is are the a an of to in on for and with by from does do what where which when it its via into that " +
    "this works work working be as at or if can use used using uses implementation implemented implements " +
    "implement through per between against under vs over after before their they them logic code s t " +
    // What questions say around what they ask; measured to help on the labelled queries (+.004).
    "make makes made support supports supported supporting provide provides provided providing allow allows " +
    "allowed enable enables different multiple based across any all each other within without such like these " +
    "those while so than there well way ways happen happens happened e g i you we our your handle handles " +
    "handled handling manage manages managed managing perform performs performed"
  ).split(" "),
)
