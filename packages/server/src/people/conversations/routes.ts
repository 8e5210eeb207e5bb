import * as contract from '@sdd/contract/people/conversations.ts'
import type { NeedsOf } from '#server/core/context.ts'
import { type Serve, withOtherStatus } from '#server/core/http/serve.ts'
import { answerConversation, discardAnswer } from './answering.ts'
import { changeConversation } from './changing.ts'
import { listInbox } from './inbox.ts'
import { listConversations } from './listing.ts'
import { readConversation } from './reading.ts'

type Needs = NeedsOf<
  | typeof listConversations
  | typeof readConversation
  | typeof changeConversation
  | typeof answerConversation
  | typeof discardAnswer
  | typeof listInbox
>

export function conversationRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listConversations, ({ query, caller }) => listConversations(needs, caller, query))
  serve(contract.readConversation, ({ params, query, caller }) =>
    readConversation(needs, caller, params.number, query),
  )
  serve(contract.changeConversation, ({ params, query, body, caller }) =>
    changeConversation(needs, caller, { ...params, ...query }, body),
  )
  serve(contract.answerConversation, async ({ params, query, body, caller }) => {
    const { guid, repeated } = await answerConversation(needs, caller, { ...params, ...query }, body)
    return repeated ? withOtherStatus({ guid }) : { guid }
  })
  serve(contract.discardAnswer, async ({ params, query, caller }) => {
    const { message, asked } = await discardAnswer(needs, caller, { ...params, ...query })
    return asked ? withOtherStatus(message) : message
  })
  serve(contract.listInbox, ({ query, caller }) => listInbox(needs, caller, query))
}
