import { runBench } from './bench/run.ts'
import { main } from './run.ts'

/** `npm run bench [-- row …]`: see docs/performance.md. */
await main(() => runBench(process.argv.slice(2)))
