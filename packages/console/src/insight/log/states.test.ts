import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageStates } from '@sdd/contract/messages/messages.ts'
import { audit as auditInEnglish } from '#console/accounts/audit/text.en.ts'
import { audit as auditInSpanish } from '#console/accounts/audit/text.es.ts'
import { record as recordInEnglish } from '#console/messages/record/text.en.ts'
import { record as recordInSpanish } from '#console/messages/record/text.es.ts'
import { logs as english } from './text.en.ts'
import { logs as spanish } from './text.es.ts'

const languages = {
  Spanish: { logs: spanish, audit: auditInSpanish, record: recordInSpanish },
  English: { logs: english, audit: auditInEnglish, record: recordInEnglish },
}

for (const [language, { logs, audit, record }] of Object.entries(languages)) {
  test(`a message's state has the same ${language} words in the log, in its record and in the audit log`, () => {
    for (const state of messageStates) {
      const words = logs.states[state].toLowerCase()
      const filter = audit.nameOf({ action: 'log.exported', subject: 'log', name: `state=${state}` })
      assert.equal(filter.split(': ')[1], words)
      assert.equal(record.state(state), words)
    }
  })
}
