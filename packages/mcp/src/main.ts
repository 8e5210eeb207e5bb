import { once } from 'node:events'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { SddError } from '@sdd/client/client.ts'
import { UsageError } from '@sdd/client/config.ts'
import { withAccess } from '@sdd/client/session.ts'
import { readConfig } from './config.ts'
import { openAssistantServer } from './server.ts'

/** Serves one assistant over standard input and output, until it closes them. */
try {
  const { access, sending } = readConfig()
  await withAccess(access, async (sdd) => {
    const server = openAssistantServer({ sdd, sending, isPerson: access.login !== undefined })
    await server.connect(new StdioServerTransport())
    await Promise.race([once(process.stdin, 'end'), once(process, 'SIGTERM'), once(process, 'SIGINT')])
    await server.close()
  })
} catch (error) {
  if (!(error instanceof UsageError || error instanceof SddError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
