import { changePassword as changeOwnPassword } from '@sdd/contract/accounts/auth.ts'
import * as contract from '@sdd/contract/accounts/users.ts'
import type { NeedsOf } from '#server/core/context.ts'
import { type Serve, withOtherStatus } from '#server/core/http/serve.ts'
import { changePassword } from './password.ts'
import { saveUser } from './saving.ts'
import { chooseLanguage, listUsers, readUser } from '#server/accounts/users/users.ts'

type Needs = NeedsOf<
  typeof listUsers | typeof saveUser | typeof readUser | typeof changePassword | typeof chooseLanguage
>

export function userRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listUsers, async ({ caller }) => ({ users: await listUsers(needs, caller) }))
  serve(contract.saveUser, async ({ body, caller }) => {
    const saved = await saveUser(needs, caller, body)
    return body.id ? saved : withOtherStatus(saved)
  })
  serve(changeOwnPassword, ({ caller, body, address }) => changePassword(needs, caller, body, address))
  serve(contract.chooseLanguage, ({ body, caller }) => chooseLanguage(needs, caller, body.language))
  serve(contract.readUser, ({ params, caller }) => readUser(needs, caller, params.id))
}
