import * as contract from '@sdd/contract/messages/keywords.ts'
import type { NeedsOf } from '#server/core/context.ts'
import { type Serve, withOtherStatus } from '#server/core/http/serve.ts'
import { deleteKeyword, listKeywords, saveKeyword } from './keywords.ts'

type Needs = NeedsOf<typeof listKeywords | typeof saveKeyword | typeof deleteKeyword>

export function keywordRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listKeywords, ({ caller }) => listKeywords(needs, caller.scope))
  serve(contract.saveKeyword, async ({ body, query, caller }) => {
    const { keyword, made } = await saveKeyword(needs, caller, body, query.company)
    return made ? keyword : withOtherStatus(keyword)
  })
  serve(contract.deleteKeyword, ({ params, caller }) => deleteKeyword(needs, caller, params.id))
}
