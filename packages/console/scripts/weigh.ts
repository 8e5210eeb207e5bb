import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

type Manifest = Record<string, { file: string; css?: string[]; imports?: string[] }>

const DIST = join(import.meta.dirname, '../dist')
const KB = 1000

const SHELL = 'src/app/shell/shell.tsx'
const SETTINGS = 'src/app/settings/settings-screen.tsx'
const settingsTabs = {
  global: 'src/app/settings/global-tab.tsx',
  devices: 'src/fleet/limits/limits-tab.tsx',
  'api-keys': 'src/accounts/api-keys/api-keys-tab.tsx',
  callbacks: 'src/outward/callbacks/callbacks-tab.tsx',
  'opt-outs': 'src/messages/opt-outs/opt-outs-tab.tsx',
  keywords: 'src/messages/keywords/keywords-tab.tsx',
  alerts: 'src/outward/alerts/alerts-tab.tsx',
  destinations: 'src/messages/destinations/destinations-tab.tsx',
  quotas: 'src/accounts/quotas/quotas-tab.tsx',
  audit: 'src/accounts/audit/audit-tab.tsx',
}
const routes: { route: string; chunks: string[]; budget: number }[] = [
  { route: '/login', chunks: [], budget: 115 * KB },
  { route: '/dashboard', chunks: [SHELL, 'src/insight/dashboard/dashboard-screen.tsx'], budget: 170 * KB },
  { route: '/devices', chunks: [SHELL, 'src/app/devices-page.tsx'], budget: 170 * KB },
  { route: '/devices/:uid', chunks: [SHELL, 'src/app/device-page.tsx'], budget: 170 * KB },
  { route: '/sms', chunks: [SHELL, 'src/app/sms-page.tsx'], budget: 170 * KB },
  {
    route: '/conversations',
    chunks: [SHELL, 'src/people/conversations/conversations-screen.tsx'],
    budget: 170 * KB,
  },
  {
    route: '/routes',
    chunks: [SHELL, 'src/fleet/routes/routes-screen.tsx'],
    budget: 170 * KB,
  },
  {
    route: '/campaigns',
    chunks: [SHELL, 'src/people/campaigns/campaigns-screen.tsx'],
    budget: 170 * KB,
  },
  {
    route: '/campaigns/:id',
    chunks: [SHELL, 'src/people/campaigns/campaign-screen.tsx'],
    budget: 170 * KB,
  },
  {
    route: '/campaigns/new',
    chunks: [SHELL, 'src/people/campaigns/new/new-campaign-screen.tsx'],
    budget: 170 * KB,
  },
  {
    route: '/contacts',
    chunks: [SHELL, 'src/people/contacts/contacts-screen.tsx'],
    budget: 170 * KB,
  },
  {
    route: '/contacts/import',
    chunks: [SHELL, 'src/people/contacts/import-screen.tsx'],
    budget: 170 * KB,
  },
  { route: '/logs', chunks: [SHELL, 'src/insight/log/logs-screen.tsx'], budget: 170 * KB },
  { route: '/users', chunks: [SHELL, 'src/app/users-page.tsx'], budget: 170 * KB },
  { route: '/running-tasks', chunks: [SHELL, 'src/app/tasks-page.tsx'], budget: 170 * KB },
  { route: '/account', chunks: [SHELL, 'src/accounts/account/account-screen.tsx'], budget: 170 * KB },
  ...Object.entries(settingsTabs).map(([tab, chunk]) => ({
    route: tab === 'global' ? '/settings' : `/settings?tab=${tab}`,
    chunks: [SHELL, SETTINGS, chunk],
    budget: 170 * KB,
  })),
]
const FONT_BUDGET = 55 * KB
/** Of all screens together. A screen loads only its own. */
const LANGUAGE_BUDGET = 60 * KB

type Weight = { what: string; bytes: number; budget: number }

/** The brotli size of each route's files when it is the first one opened, of each language, and of the fonts. */
export async function weigh(): Promise<Weight[]> {
  const manifest = JSON.parse(await readFile(join(DIST, '.vite/manifest.json'), 'utf8')) as Manifest
  const weights = await Promise.all(
    routes.map(async ({ route, chunks, budget }) => {
      const files = new Set(['theme.js'])
      for (const chunk of ['index.html', ...chunks]) collect(manifest, chunk, files)
      return { what: route, bytes: await sizeOf([...files].map((file) => `${file}.br`)), budget }
    }),
  )
  const assets = await readdir(join(DIST, 'assets'))
  const fonts = assets.filter((name) => name.endsWith('.woff2')).map((name) => `assets/${name}`)
  const languages = await Promise.all(
    ['es', 'en'].map(async (language) => {
      const texts = Object.keys(manifest).filter((name) => name.endsWith(`.${language}.ts`))
      const files = new Set(texts.map((name) => `${manifest[name]!.file}.br`))
      return { what: `texts in ${language}`, bytes: await sizeOf([...files]), budget: LANGUAGE_BUDGET }
    }),
  )
  return [...weights, ...languages, { what: 'fonts', bytes: await sizeOf(fonts), budget: FONT_BUDGET }]
}

async function sizeOf(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map((file) => stat(join(DIST, file))))
  return sizes.reduce((sum, { size }) => sum + size, 0)
}

/** Adds the chunk's file, its styles and, recursively, those of its imports. */
function collect(manifest: Manifest, name: string, files: Set<string>): void {
  const chunk = manifest[name]
  if (!chunk) throw new Error(`the build has no ${name}`)
  if (files.has(chunk.file)) return
  files.add(chunk.file)
  for (const style of chunk.css ?? []) files.add(style)
  for (const imported of chunk.imports ?? []) collect(manifest, imported, files)
}
