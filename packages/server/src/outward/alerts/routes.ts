import * as contract from '@sdd/contract/outward/alerts.ts'
import type { NeedsOf } from '#server/core/context.ts'
import { type Serve, withOtherStatus } from '#server/core/http/serve.ts'
import { acknowledgeAlert, listAlerts } from './alerts.ts'
import { deleteAlertRule, listAlertRules, saveAlertRule } from './rules.ts'

type Needs = NeedsOf<typeof saveAlertRule | typeof listAlerts | typeof acknowledgeAlert>

export function alertRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listAlertRules, ({ caller }) => listAlertRules(needs, caller))
  serve(contract.saveAlertRule, async ({ body, query, caller }) => {
    const { rule, made } = await saveAlertRule(needs, caller, body, query.company)
    return made ? rule : withOtherStatus(rule)
  })
  serve(contract.deleteAlertRule, ({ params, caller }) => deleteAlertRule(needs, caller, params.id))
  serve(contract.listAlerts, ({ query, caller }) => listAlerts(needs, caller, query))
  serve(contract.acknowledgeAlert, ({ params, caller }) => acknowledgeAlert(needs, caller, params.id))
}
