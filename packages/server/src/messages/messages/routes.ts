import * as contract from '@sdd/contract/messages/messages.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { queueMessage } from './messages.ts'

type Needs = NeedsOf<typeof queueMessage>

export function messageRoutes(serve: Serve, needs: Needs): void {
  serve(contract.sendSms, ({ body, caller }) => queueMessage(needs, caller, body))
}
