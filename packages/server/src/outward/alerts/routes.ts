import * as channels from '@sdd/contract/outward/alert-channels.ts'
import * as contract from '@sdd/contract/outward/alerts.ts'
import type { NeedsOf } from '#server/core/context.ts'
import { type Serve, withOtherStatus } from '#server/core/http/serve.ts'
import { acknowledgeAlert, listAlerts } from './alerts.ts'
import { readAlertSettings, saveAlertSettings } from './alert-settings.ts'
import { deleteAlertChannel, listAlertChannels, saveAlertChannel, testAlertChannel } from './channels.ts'
import { deleteAlertRule, listAlertRules, saveAlertRule } from './rules.ts'

type Needs = NeedsOf<
  | typeof saveAlertRule
  | typeof saveAlertChannel
  | typeof saveAlertSettings
  | typeof testAlertChannel
  | typeof listAlerts
  | typeof acknowledgeAlert
>

export function alertRoutes(serve: Serve, needs: Needs): void {
  serve(contract.readAlertSettings, ({ query, caller }) => readAlertSettings(needs, caller, query.company))
  serve(contract.saveAlertSettings, ({ body, query, caller }) =>
    saveAlertSettings(needs, caller, body, query.company),
  )
  serve(contract.listAlertRules, ({ caller }) => listAlertRules(needs, caller))
  serve(contract.saveAlertRule, async ({ body, query, caller }) => {
    const { rule, made } = await saveAlertRule(needs, caller, body, query.company)
    return made ? rule : withOtherStatus(rule)
  })
  serve(contract.deleteAlertRule, ({ params, caller }) => deleteAlertRule(needs, caller, params.id))
  serve(channels.listAlertChannels, ({ caller }) => listAlertChannels(needs, caller))
  serve(channels.saveAlertChannel, async ({ body, query, caller }) => {
    const { channel, made } = await saveAlertChannel(needs, caller, body, query.company)
    return made ? channel : withOtherStatus(channel)
  })
  serve(channels.deleteAlertChannel, ({ params, caller }) => deleteAlertChannel(needs, caller, params.id))
  serve(channels.testAlertChannel, ({ params, caller }) => testAlertChannel(needs, caller, params.id))
  serve(contract.listAlerts, ({ query, caller }) => listAlerts(needs, caller, query))
  serve(contract.acknowledgeAlert, ({ params, caller }) => acknowledgeAlert(needs, caller, params.id))
}
