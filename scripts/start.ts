import { buildConsole } from './build-console.ts'

// `--help` needs no build.
if (!process.argv.includes('--help')) await buildConsole()
await import('../packages/server/src/app/main.ts')
