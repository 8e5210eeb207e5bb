import { once } from 'node:events'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { withAccess } from '@sdd/client/session.ts'
import { readConfig } from './config.ts'
import { openAssistantServer } from './server.ts'

/** Serves one assistant over standard input and output, until it closes them. */
const { access, sending } = readConfig()
await withAccess(access, async (sdd) => {
  const server = openAssistantServer({ sdd, sending, isPerson: access.login !== undefined })
  await server.connect(new StdioServerTransport())
  await Promise.race([once(process.stdin, 'end'), once(process, 'SIGTERM'), once(process, 'SIGINT')])
  await server.close()
})
