import * as contract from '@sdd/contract/users.ts'
import type { App } from '#server/app.ts'
import { type Serve, withOtherStatus } from '#server/core/http/serve.ts'
import { madeByUser } from './made.ts'
import { saveUser } from './saving.ts'
import { listUsers, readUser } from './users.ts'

export function userRoutes(serve: Serve, app: App): void {
  serve(contract.listUsers, async ({ caller }) => ({ users: await listUsers(app, caller) }))
  serve(contract.saveUser, async ({ body, caller, address }) => {
    const saved = await saveUser(app, caller, body, address)
    return body.id ? saved : withOtherStatus(saved)
  })
  serve(contract.readUser, ({ params, caller }) => readUser(app, caller, params.id))
  serve(contract.readMadeByUser, ({ params, caller }) => madeByUser(app, caller, params.id))
}
