import { faultsOf } from './checks.ts'
import { readLock } from './lock.ts'
import { nodeFaults } from './node.ts'
import { tryProduction } from './production.ts'
import { main } from '../../scripts/run.ts'

/**
 * `npm run check:supply`: what the product takes from others is locked, runs nothing when it is installed, and has a
 * licence that is allowed; the Node among it has the SHA-256 that is known of nodejs.org's; and a copy of the tree, installed without tools and install scripts, starts. The second half
 * asks the registry for what npm's cache lacks.
 */
async function checkSupply(): Promise<number> {
  const faults = [...faultsOf(readLock()), ...nodeFaults()]
  for (const fault of faults) console.error(`supply: ${fault}`)
  if (faults.length > 0) return 1
  console.log(
    'supply: all is locked, allowed, and runs nothing when it is installed; Node is the one that is known',
  )
  await tryProduction()
  console.log('supply: a copy without tools and install scripts starts')
  return 0
}

await main(checkSupply)
