import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NewCampaignRow, uploadRows } from '@sdd/contract/people/campaign-rows.ts'
import { changeCampaign, createCampaign } from '@sdd/contract/people/campaigns.ts'
import { ContactRow, importContacts } from '@sdd/contract/people/contacts.ts'
import { fieldsOf, parseTemplateText } from '@sdd/contract/people/template-text.ts'
import { saveTemplate } from '@sdd/contract/people/templates.ts'
import { exampleOf } from './examples.ts'

for (const [route, schema] of [
  [uploadRows, NewCampaignRow],
  [importContacts, ContactRow],
] as const)
  test(`the schema accepts each row of the example for ${route.method} ${route.path}`, () => {
    const { rows } = exampleOf(route) as { rows: unknown[] }
    for (const row of rows) schema.parse(row)
  })

for (const route of [createCampaign, changeCampaign, saveTemplate])
  test(`the text of the example for ${route.method} ${route.path} has a field`, () => {
    const { text } = exampleOf(route) as { text: string }
    assert.deepEqual(fieldsOf(parseTemplateText(text).pieces!), ['name'])
  })
