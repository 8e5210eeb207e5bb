import type { BrowserContext, Page } from 'playwright-core'

export type Visit = {
  url: string
  size?: 'desktop' | 'phone' | 'zoomed'
  theme?: 'light' | 'dark'
  /** Signed in with this role; `none`: not signed in. */
  role?: 'user' | 'admin' | 'superadmin' | 'none'
  /** Chosen in this browser. */
  language?: 'es' | 'en'
}

/** A small file of the console: it reaches the storage of its origin without starting the console. */
const SMALL_FILE = '/favicon.svg'

/** What a test changes through these outlives a navigation, so no other test gets its page. */
const LASTING = new Set<string | symbol>([
  'addInitScript',
  'clock',
  'context',
  'exposeBinding',
  'exposeFunction',
  'once',
])

export type UsedPage = {
  /** For the test. Its uses are watched. */
  page: Page
  own: Page
  origin: string
  window_size: { width: number; height: number }
  faults: string[]
  /** Those of the test. */
  listeners: Listener[]
  isChanged: boolean
  key: string
}

type Listener = [event: string, listener: () => void]
type Emitter = Record<'on' | 'off', (...listener: Listener) => unknown>

export type UsedPages = {
  /** A page like a new one, signed in as asked. It shows a small file of the console. */
  take(visit: Visit): Promise<UsedPage>
  /** Gives the page back. With `again`, another test may get it. */
  give(used: UsedPage, again: boolean): Promise<void>
}

/**
 * The tests of a file take pages in turn: a new profile with its process costs more processor time than the start of
 * the console, and the console starts faster in a process that has shown it before.
 */
export function keepPages(openContext: (visit: Visit) => Promise<BrowserContext>): UsedPages {
  const idle: UsedPage[] = []

  async function openPage(visit: Visit, key: string): Promise<UsedPage> {
    const context = await openContext(visit)
    context.setDefaultTimeout(30_000)
    const faults: string[] = []
    context.on('weberror', (fault) => faults.push(fault.error().message))
    context.on('console', (message) => {
      if (/content security policy|trusted ?types|trustedhtml/i.test(message.text()))
        faults.push(message.text())
    })
    const own = await context.newPage()
    await own.goto(visit.url + SMALL_FILE)
    const window_size = own.viewportSize()!
    const used: UsedPage = {
      page: own,
      own,
      origin: visit.url,
      window_size,
      faults,
      listeners: [],
      isChanged: false,
      key,
    }
    used.page = new Proxy(own, {
      get(page, name) {
        if (LASTING.has(name)) used.isChanged = true
        if (name === 'on')
          return (...listener: Listener) => {
            used.listeners.push(listener)
            return (page as Emitter).on(...listener)
          }
        const value: unknown = Reflect.get(page, name)
        return typeof value === 'function' ? (value.bind(page) as unknown) : value
      },
    })
    return used
  }

  return {
    async take(visit) {
      const key = `${visit.url} ${visit.size}`
      const at = idle.findIndex((used) => used.key === key)
      const used = at < 0 ? await openPage(visit, key) : idle.splice(at, 1)[0]!
      await signIn(used.own, visit)
      return used
    },
    async give(used, again) {
      const { own } = used
      if (again && !used.isChanged && !own.isClosed() && own.context().pages().length === 1) {
        for (const listener of used.listeners.splice(0)) (own as Emitter).off(...listener)
        await own.unrouteAll({ behavior: 'ignoreErrors' })
        await own.mouse.move(-1, -1)
        await own.setViewportSize(used.window_size)
        // It ends what the page still does. If the server is gone, the page is not used again.
        const rests = await own.goto(used.origin + SMALL_FILE).catch(() => undefined)
        if (rests) return void idle.push(used)
      }
      await own.context().close()
    },
  }
}

/** Makes the page a new window of a browser with this session. */
async function signIn(page: Page, { theme = 'light', role = 'superadmin', language }: Visit): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  const session = {
    ...(role !== 'none' && { token: 'token-1', role, user_id: '1' }),
    ...(language && { language }),
  }
  await page.evaluate((entries) => {
    sessionStorage.clear()
    localStorage.clear()
    for (const [name, value] of entries) localStorage.setItem(name, value)
  }, Object.entries(session))
}
