import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOT_STATEMENTS } from '../../packages/server/test/hot-statements.ts'
import { ROOT, main } from '../../scripts/run.ts'
import { startPostgres } from '../../scripts/postgres.ts'
import { OWN_SETTINGS } from '../bench/postgres.ts'
import { type Explained, pageOf } from './page.ts'
import { openFilled } from './filled.ts'

/**
 * `npm run plans`: fills a PostgreSQL of its own with two months of messages, runs every statement of the hot paths
 * there, and writes docs/storage-plans.md. It takes about a minute.
 */
const PAGE = join(ROOT, 'docs/storage-plans.md')
const SCALE = { ended: 200_000, in_flight: 2_000, waiting: 5_000, devices: 1_000, companies: 10 }

async function run(): Promise<number> {
  const postgres = await startPostgres(OWN_SETTINGS)
  try {
    console.log('plans: filling')
    const { explain, version, close } = await openFilled(postgres.url, SCALE)
    const explained: Explained[] = []
    for (const [path, statements] of Object.entries(HOT_STATEMENTS))
      for (const statement of statements) explained.push({ path, statement, plans: await explain(statement) })
    await close()
    writeFileSync(PAGE, pageOf(explained, { version, ...SCALE }))
    console.log(`plans: ${explained.length} statements in docs/storage-plans.md`)
    return 0
  } finally {
    await postgres.stop()
  }
}

await main(run)
