import { faultsOf } from './checks.ts'
import { readLock } from './lock.ts'
import { nodeFaults } from './node.ts'
import { tryProduction } from './production.ts'
import { main } from '../../scripts/run.ts'

/**
 * `npm run check:supply`: third-party packages are locked, run nothing when installed, and have an allowed licence. The
 * packaged Node has the known SHA-256 of nodejs.org's. A copy of the tree, installed without tools and install scripts,
 * starts. That last part asks the registry for packages missing from npm's cache.
 */
async function checkSupply(): Promise<number> {
  const faults = [...faultsOf(readLock()), ...nodeFaults()]
  for (const fault of faults) console.error(`supply: ${fault}`)
  if (faults.length > 0) return 1
  console.log(
    'supply: all packages are locked, allowed, and run nothing when installed; Node has its known hash',
  )
  await tryProduction()
  console.log('supply: a copy without tools and install scripts starts')
  return 0
}

await main(checkSupply)
