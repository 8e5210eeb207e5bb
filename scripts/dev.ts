import { join } from 'node:path'
import { ROOT, run, runInstalled } from './run.ts'

/**
 * `npm run dev`: the server, started again after each change of its source, and Vite's own server, which shows each
 * change of the console at once and passes /api and /mqtt on. Where one ends, so does the other.
 */
const server = run(process.execPath, ['--watch', 'packages/server/src/app/main.ts'])
const console = runInstalled('vite/bin/vite.js', [], { cwd: join(ROOT, 'packages/console') })

// `run` hands a SIGTERM on; we ourselves stay until both have ended.
process.on('SIGTERM', () => {})
process.exitCode = await Promise.race([server, console])
process.kill(process.pid, 'SIGTERM')
await Promise.all([server, console])
