/**
 * Calls `act` twice a second. All registered functions are called together, because most of the cost of an idle process
 * is waking up. The timer does not keep the process alive.
 */
export function everyHalfSecond(act: () => void): Disposable {
  acts.add(act)
  if (timer === null) {
    timer = setInterval(() => {
      // The set is copied, because a function may unregister itself or register another one.
      for (const registered of [...acts]) registered()
    }, 500)
    timer.unref()
  }
  return {
    [Symbol.dispose]: () => {
      acts.delete(act)
      if (acts.size > 0 || timer === null) return
      clearInterval(timer)
      timer = null
    },
  }
}

const acts = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | null = null
