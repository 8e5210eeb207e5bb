import assert from 'node:assert/strict'
import * as checks from '@sdd/contract/people/campaign-checks.ts'
import * as campaignRows from '@sdd/contract/people/campaign-rows.ts'
import * as contract from '@sdd/contract/people/campaigns.ts'
import { newUser } from './seeds.ts'
import { call, type TestServer } from './server.ts'

/** A company, and the calls of its admin about campaigns. */
export async function newCampaigner(server: TestServer, superadmin: string, companyId: number) {
  const { token, name } = await newUser(server, superadmin, { role: 'admin', companyId })
  return { ...campaignCalls(server, token), company_id: companyId, token, name }
}

/** The calls about campaigns with this token. */
export function campaignCalls(server: TestServer, token: string) {
  const draft = { name: 'Reminders', text: 'Hola {{name}}', class: 'transactional' } as const

  async function answered<Answer extends { status: number; body: unknown }>(
    answer: Promise<Answer>,
    status = 200,
  ): Promise<Answer['body']> {
    const { status: got, body } = await answer
    assert.equal(got, status, JSON.stringify(body))
    return body
  }
  const of = (id: number) => ({ token, params: { id } })
  return {
    draft,
    create: (change: Partial<contract.NewCampaign> = {}) =>
      answered(call(server, contract.createCampaign, { token, body: { ...draft, ...change } }), 201),
    upload: (id: number, rows: unknown[], more: { first_row?: number; last?: boolean; of?: number } = {}) =>
      answered(call(server, campaignRows.uploadRows, { ...of(id), body: { first_row: 1, rows, ...more } })),
    read: (id: number) => answered(call(server, contract.readCampaign, of(id))),
    list: (query: Record<string, string> = {}) =>
      answered(call(server, contract.listCampaigns, { token, query })),
    rows: (id: number, query: Record<string, string> = {}) =>
      answered(call(server, campaignRows.listRows, { ...of(id), query })),
    check: (id: number, query: Record<string, string> = {}) =>
      answered(call(server, checks.checkRows, { ...of(id), query })),
    preview: (id: number) => answered(call(server, checks.previewCampaign, of(id))),
    start: (id: number, rows: number) =>
      answered(call(server, contract.startCampaign, { ...of(id), body: { rows } })),
    /** Creates and starts a campaign with these rows, all of which can be sent. */
    async run(rows: unknown[], change: Partial<contract.NewCampaign> = {}): Promise<number> {
      const body = { ...draft, text: 'hola', ...change }
      const { id } = await answered(call(server, contract.createCampaign, { token, body }), 201)
      await answered(call(server, campaignRows.uploadRows, { ...of(id), body: { first_row: 1, rows } }))
      await answered(call(server, contract.startCampaign, { ...of(id), body: { rows: rows.length } }))
      return id
    },
    pause: (id: number) => answered(call(server, contract.pauseCampaign, of(id))),
    resume: (id: number) => answered(call(server, contract.resumeCampaign, of(id))),
    stop: (id: number) => answered(call(server, contract.stopCampaign, of(id))),
    retry: (id: number, query: { reason?: string } = {}) =>
      answered(call(server, contract.retryCampaign, { ...of(id), query }), 201),
    async csv(id: number, file = 'rows'): Promise<string[]> {
      const answer = await fetch(`${server.url}/api/campaigns/${id}/${file}.csv`, {
        headers: { authorization: `Bearer ${token}` },
      })
      assert.equal(answer.status, 200)
      return (await answer.text())
        .replace(/^\uFEFF/, '')
        .split('\r\n')
        .filter(Boolean)
    },
    remove: (id: number) => call(server, contract.deleteCampaign, of(id)),
  }
}
