import { main, run } from './run.ts'

/** `npm run try:alerts`: kills a server at every step of an alert, and counts what the channels got. */
const ARGS = ['--test', '--test-timeout=300000', 'test/alert-kill.trial.ts']

if (import.meta.main) await main(() => run(process.execPath, ARGS, {}))
