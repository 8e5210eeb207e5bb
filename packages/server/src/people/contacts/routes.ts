import * as contract from '@sdd/contract/people/contacts.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { deleteContact, listContacts, listLists, readContact, saveContact } from './contacts.ts'
import { exportContacts } from './export.ts'
import { importContacts } from './import.ts'

type Needs = NeedsOf<
  | typeof listContacts
  | typeof readContact
  | typeof saveContact
  | typeof deleteContact
  | typeof listLists
  | typeof importContacts
  | typeof exportContacts
>

export function contactRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listContacts, ({ query, caller }) => listContacts(needs, caller, query))
  serve(contract.readContact, ({ params, query, caller }) =>
    readContact(needs, caller, params.number, query.company),
  )
  serve(contract.saveContact, ({ params, query, body, caller }) =>
    saveContact(needs, caller, params.number, body, query.company),
  )
  serve(contract.deleteContact, ({ params, query, caller }) =>
    deleteContact(needs, caller, params.number, query.company),
  )
  serve(contract.importContacts, ({ query, body, caller }) =>
    importContacts(needs, caller, body.rows, query.company),
  )
  serve(contract.exportContacts, ({ query, caller }) => exportContacts(needs, caller, query))
  serve(contract.listLists, ({ caller }) => listLists(needs, caller.scope))
}
