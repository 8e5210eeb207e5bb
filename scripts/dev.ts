import { join } from 'node:path'
import { ROOT, run, runInstalled } from './run.ts'

/**
 * `npm run dev`: the server, restarted after each change of its source, and Vite's own server. Vite shows each change
 * of the console at once and proxies /api and /mqtt. If one ends, the other is stopped.
 */
const server = run(process.execPath, ['--watch', 'packages/server/src/app/main.ts'])
const console = runInstalled('vite/bin/vite.js', [], { cwd: join(ROOT, 'packages/console') })

// `run` forwards a SIGTERM; this process stays until both have ended.
process.on('SIGTERM', () => {})
process.exitCode = await Promise.race([server, console])
process.kill(process.pid, 'SIGTERM')
await Promise.all([server, console])
