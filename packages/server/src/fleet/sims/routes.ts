import * as contract from '@sdd/contract/fleet/sims.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { askBalance } from './balance.ts'
import { saveSim } from './saving.ts'
import { listSims } from './sims.ts'

export function simRoutes(
  serve: Serve,
  needs: NeedsOf<typeof listSims | typeof saveSim | typeof askBalance>,
): void {
  serve(contract.listSims, ({ caller }) => listSims(needs, caller.scope))
  serve(contract.saveSim, ({ params, query, body, caller }) =>
    saveSim(needs, caller, params.iccid, body, query.company),
  )
  serve(contract.askBalance, ({ params, query, caller }) =>
    askBalance(needs, caller, params.iccid, query.company),
  )
}
