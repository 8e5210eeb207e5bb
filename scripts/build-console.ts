import { join } from 'node:path'
import { bringUpToDate, type Build } from './built.ts'
import { ROOT, run } from './run.ts'

/** All its sources and settings. */
const SOURCES = [
  'packages/{console,contract,sms,mqtt}/src/**',
  'packages/console/{public,scripts}/**',
  'packages/console/*.{html,ts,json}',
  'package-lock.json',
]

/** Its configuration of Vite and its folder, from packages/console, and its sources besides those above. */
type ConsoleBuild = { config: string; folder: string; sources: string[] }

const PRODUCT: ConsoleBuild = { config: 'vite.config.ts', folder: 'dist', sources: [] }

/** Brings packages/console/dist, or another build, up to date: see `bringUpToDate`. */
export function buildConsole(
  root = ROOT,
  { config, folder, sources }: ConsoleBuild = PRODUCT,
): Promise<string> {
  const build: Build = {
    name: 'the console',
    folder: join('packages/console', folder),
    mark: 'index.html',
    sources: [...SOURCES, ...sources],
    async make(root, next) {
      const vite = join(root, 'node_modules/vite/bin/vite.js')
      const args = ['build', '--config', config, '--outDir', next, '--emptyOutDir', '--logLevel', 'warn']
      const status = await run(process.execPath, [vite, ...args], { cwd: join(root, 'packages/console') })
      if (status !== 0) throw new Error('The console could not be built: see the errors above')
    },
  }
  return bringUpToDate(build, root)
}
