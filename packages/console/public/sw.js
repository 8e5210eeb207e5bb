// The service worker: the console opens without a network, with the files that it used last. It never answers a page
// from the cache while the server answers, so a new version shows at once. Calls of the API are not its business.
const PAGE = '/index.html'
const CACHE = 'console'
const NOT_CONSOLE = /^\/(api|docs|mqtt|metrics|healthz|readyz)(\/|$)/

self.addEventListener('install', (event) => {
  event.waitUntil(Promise.all([loadPage(new Request(PAGE)), self.skipWaiting()]))
})
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin || NOT_CONSOLE.test(pathname)) return
  if (request.mode === 'navigate') event.respondWith(loadPage(request))
  else if (pathname.startsWith('/assets/')) event.respondWith(loadAsset(request))
  else if (pathname !== '/sw.js') event.respondWith(loadFile(request))
})

/** A page of the console names the files that it has loaded before this worker could see them. */
self.addEventListener('message', (event) => {
  event.waitUntil(Promise.all(event.data.files.map((url) => loadAsset(new Request(url)))))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(show(event.notification.data.url))
})

async function show(url) {
  const pages = await self.clients.matchAll({ type: 'window' })
  const page = pages.find((page) => !NOT_CONSOLE.test(new URL(page.url).pathname))
  if (!page) return self.clients.openWindow(url)
  // Not `navigate`, which loads the page again and loses what was typed.
  page.postMessage({ url })
  return page.focus()
}

/** The page from the server. Without an answer, or one from a proxy whose server is gone, the last one. */
async function loadPage(request) {
  const cache = await openCache()
  const kept = await cache?.match(PAGE)
  const response = await fetch(request).catch(() => undefined)
  if (response === undefined || response.status >= 500) return kept ?? response ?? Response.error()
  if (response.ok && response.headers.get('content-type')?.startsWith('text/html'))
    await keepPage(cache, kept, response)
  return response
}

/** Another page is another version: its files replace the ones of the last version. */
async function keepPage(cache, kept, page) {
  const text = await page.clone().text()
  if (!cache || text === (await kept?.text())) return
  for (const old of await cache.keys())
    if (new URL(old.url).pathname.startsWith('/assets/') && !text.includes(new URL(old.url).pathname))
      await cache.delete(old)
  await keep(cache, PAGE, page)
}

/** Files with a hash in their name never change. */
async function loadAsset(request) {
  const cache = await openCache()
  const kept = await cache?.match(request)
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) await keep(cache, request, response)
  return response
}

async function loadFile(request) {
  const cache = await openCache()
  try {
    const response = await fetch(request)
    if (response.ok) await keep(cache, request, response)
    return response
  } catch (fault) {
    const kept = await cache?.match(request)
    if (kept) return kept
    throw fault
  }
}

/** Undefined if the browser cannot open it. The console then comes from the server only. */
function openCache() {
  return caches.open(CACHE).catch(() => undefined)
}

/** Keeps a copy of the response, if the browser has room for it. */
async function keep(cache, request, response) {
  await cache?.put(request, response.clone()).catch(() => undefined)
}
