import { findBrowser } from './browser.ts'
import { buildConsole } from './build-console.ts'
import { main, run } from './run.ts'

/**
 * `npm run budget`: builds the console, then prints its size and speed next to their budgets. `npm run budget -- bytes
 * scroll` measures only these parts, of `bytes`, `start`, `scroll`, `fleet` and `axe`.
 */
await main(async () => {
  await buildConsole()
  const env = { CHROME_PATH: await findBrowser() }
  return run(process.execPath, ['packages/console/scripts/measure.ts', ...process.argv.slice(2)], { env })
})
