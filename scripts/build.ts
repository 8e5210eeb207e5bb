import { buildConsole } from './build-console.ts'
import { buildServer } from './build-server.ts'
import { main } from './run.ts'

/** `npm run build`: the console and the server, as far as their sources are newer than their builds. */
await main(async () => {
  await buildConsole()
  await buildServer()
})
