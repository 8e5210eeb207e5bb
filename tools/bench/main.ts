import { runBench } from './run.ts'
import { main } from '../../scripts/run.ts'

/** `npm run bench [-- row …]`: see docs/performance.md. */
await main(() => runBench(process.argv.slice(2)))
