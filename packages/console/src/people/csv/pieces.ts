/** Long work lets the browser draw and take keys after this time. */
const AT_ONCE_MS = 10

/** Resolves when the browser has had its turn. A timer would take a minute in a hidden tab. */
export function browserTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(0)
  })
}

/** Await the returned function in each round of long work. */
export function openPieces(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < AT_ONCE_MS) return undefined
    return browserTurn().then(() => {
      began = performance.now()
    })
  }
}
