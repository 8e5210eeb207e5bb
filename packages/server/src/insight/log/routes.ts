import * as contract from '@sdd/contract/insight/log.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { countLogs } from './count.ts'
import { exportLogs } from './export.ts'
import { readMessage } from './record.ts'
import { listPage } from './log.ts'

type Needs = NeedsOf<typeof listPage | typeof countLogs | typeof exportLogs | typeof readMessage>

export function logRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listLogs, ({ query, caller }) => listPage(needs, caller, query))
  serve(contract.countLogs, ({ query, caller }) => countLogs(needs, caller, query))
  serve(contract.exportLogs, ({ query, caller }) => exportLogs(needs, caller, query))
  serve(contract.readMessage, ({ params, query, caller }) =>
    readMessage(needs, caller, { ...params, company: query.company, facts: query.facts === 'true' }),
  )
}
