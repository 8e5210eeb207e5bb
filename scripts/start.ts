import { buildConsole } from './build-console.ts'

// `--help` is answered without building anything.
if (!process.argv.includes('--help')) await buildConsole()
await import('../packages/server/src/app/main.ts')
