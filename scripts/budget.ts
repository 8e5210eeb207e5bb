import { findBrowser } from './browser.ts'
import { buildConsole } from './build-console.ts'
import { main, run } from './run.ts'

/**
 * `npm run budget`: builds the console, then prints what it weighs and how fast it is, beside its budgets.
 * `npm run budget -- bytes scroll` measures these parts alone, of `bytes`, `start`, `scroll`, `fleet` and `axe`.
 */
await main(async () => {
  await buildConsole()
  const env = { CHROME_PATH: await findBrowser() }
  return run(process.execPath, ['packages/console/scripts/measure.ts', ...process.argv.slice(2)], { env })
})
