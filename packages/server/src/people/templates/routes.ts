import * as contract from '@sdd/contract/people/templates.ts'
import type { NeedsOf } from '#server/core/context.ts'
import { type Serve, withOtherStatus } from '#server/core/http/serve.ts'
import { deleteTemplate, listTemplates, saveTemplate } from './templates.ts'

type Needs = NeedsOf<typeof listTemplates | typeof saveTemplate | typeof deleteTemplate>

export function templateRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listTemplates, ({ caller }) => listTemplates(needs, caller.scope))
  serve(contract.saveTemplate, async ({ body, query, caller }) => {
    const { template, made } = await saveTemplate(needs, caller, body, query.company)
    return made ? template : withOtherStatus(template)
  })
  serve(contract.deleteTemplate, ({ params, caller }) => deleteTemplate(needs, caller, params.id))
}
