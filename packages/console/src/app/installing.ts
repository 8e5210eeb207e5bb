type ScriptUrls = { createScriptURL(url: string): string }
type TrustedTypes = { createPolicy(name: string, rules: ScriptUrls): ScriptUrls }

/**
 * Registers the service worker, with which the console can be installed and opens without a network. Browsers need
 * HTTPS or the machine itself for it. The only policy that the server allows makes this one address. `goTo` gets the
 * address of a notification that was pressed.
 */
export async function registerServiceWorker(goTo: (url: string) => void): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ url: string }>) =>
    goTo(data.url),
  )
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  const rules = { createScriptURL: () => '/sw.js' }
  const url = (trustedTypes?.createPolicy('service-worker', rules) ?? rules).createScriptURL('')
  await navigator.serviceWorker.register(url)
  const { active } = await navigator.serviceWorker.ready
  // Also of files that are loading now: the worker does not see a request that began before it.
  const observer = new PerformanceObserver((loaded) => {
    const names = loaded.getEntries().map(({ name }) => name)
    const files = names.filter((name) => name.startsWith(`${location.origin}/assets/`))
    if (files.length > 0) active?.postMessage({ files })
  })
  observer.observe({ type: 'resource', buffered: true })
}
