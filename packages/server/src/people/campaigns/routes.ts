import * as checks from '@sdd/contract/people/campaign-checks.ts'
import * as campaignRows from '@sdd/contract/people/campaign-rows.ts'
import * as contract from '@sdd/contract/people/campaigns.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { changeCampaign, createCampaign, deleteCampaign, listCampaigns, readCampaign } from './campaigns.ts'
import { checkRows, exportCheck } from './checking.ts'
import { exportRows } from './export.ts'
import { listRows } from './listing.ts'
import { previewCampaign } from './preview.ts'
import { retryCampaign } from './retrying.ts'
import { startCampaign } from './starting.ts'
import { pauseCampaign, resumeCampaign, stopCampaign } from './stopping.ts'
import { uploadRows } from './uploading.ts'

type Needs = NeedsOf<
  | typeof listCampaigns
  | typeof readCampaign
  | typeof createCampaign
  | typeof changeCampaign
  | typeof deleteCampaign
  | typeof uploadRows
  | typeof listRows
  | typeof exportRows
  | typeof previewCampaign
  | typeof checkRows
  | typeof exportCheck
  | typeof startCampaign
  | typeof pauseCampaign
  | typeof resumeCampaign
  | typeof stopCampaign
  | typeof retryCampaign
>

export function campaignRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listCampaigns, ({ query, caller }) => listCampaigns(needs, caller.scope, query))
  serve(contract.readCampaign, ({ params, caller }) => readCampaign(needs, caller.scope, params.id))
  serve(contract.createCampaign, ({ query, body, caller }) =>
    createCampaign(needs, caller, body, query.company),
  )
  serve(contract.changeCampaign, ({ params, body, caller }) => changeCampaign(needs, caller, params.id, body))
  serve(contract.deleteCampaign, ({ params, caller }) => deleteCampaign(needs, caller, params.id))
  serve(campaignRows.uploadRows, ({ params, body, caller }) => uploadRows(needs, caller, params.id, body))
  serve(campaignRows.listRows, ({ params, query, caller }) => listRows(needs, caller, params.id, query))
  serve(campaignRows.exportRows, ({ params, query, caller }) => exportRows(needs, caller, params.id, query))
  serve(checks.previewCampaign, ({ params, caller }) => previewCampaign(needs, caller.scope, params.id))
  serve(checks.checkRows, ({ params, query, caller }) => checkRows(needs, caller.scope, params.id, query))
  serve(checks.exportCheck, ({ params, caller }) => exportCheck(needs, caller.scope, params.id))
  serve(contract.startCampaign, ({ params, body, caller }) =>
    startCampaign(needs, caller, params.id, body.rows),
  )
  serve(contract.pauseCampaign, ({ params, caller }) => pauseCampaign(needs, caller, params.id))
  serve(contract.resumeCampaign, ({ params, caller }) => resumeCampaign(needs, caller, params.id))
  serve(contract.stopCampaign, ({ params, caller }) => stopCampaign(needs, caller, params.id))
  serve(contract.retryCampaign, ({ params, query, caller }) =>
    retryCampaign(needs, caller, params.id, query.reason),
  )
}
