import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import type { Campaign } from '@sdd/contract/people/campaigns.ts'
import { instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { DiskSpace } from '#server/core/disk-space.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { CampaignRows } from '#server/database/people-tables.ts'
import { type CampaignNeeds, known, record, refuseExpired, wrongState } from './campaigns.ts'
import { claimDraft, type DraftClaim } from './claiming.ts'
import { CONFIRMED, PARTS, PLANNED, UPLOADING } from './figures.ts'
import { type JudgeNeeds, judgeRows } from './judging.ts'
import { preparationStore, rowStore, type SkippedRow } from './rows.store.ts'
import { type CampaignRecord, campaignStore, countStore, stateAtStart } from './store.ts'
import { asCampaign } from './viewing.ts'

type Needs = CampaignNeeds & JudgeNeeds & { diskSpace: Pick<DiskSpace, 'refuseIfShort'>; feed(): void }

/** Rows of one transaction. Other writes get a turn between two. */
const AT_ONCE = 1_000
/** How often a start looks whether another one of the same draft has ended. */
const LOOK_MS = 100

/**
 * Starts a draft, if as many of its rows can be sent as a person confirms. Rows that cannot be sent are marked and
 * members of lists are added before, in steps that mean nothing until the last one. A second start waits for the first.
 * `unknown_campaign`, `wrong_state`, `invalid`, `rows_changed`, `nothing_to_send`, `disk_full`.
 */
export async function startCampaign(
  needs: Needs,
  caller: Caller,
  id: number,
  confirmed: number,
): Promise<Campaign> {
  const { db, live, clock, diskSpace, feed } = needs
  diskSpace.refuseIfShort()
  for (;;) {
    const campaign = known(await campaignStore(db.read, caller.scope).byId(id), id)
    if (campaign.state === 'scheduled' || campaign.state === 'running') {
      refuseUnless((await countStore(db.read).one(id, CONFIRMED)) ?? 0, confirmed)
      return asCampaign(needs, campaign)
    }
    if (campaign.state !== 'draft') throw wrongState(campaign)
    refuseExpired(campaign, clock)
    await refuseIfUploading(needs, id)
    const claim = await claimDraft(needs, caller, campaign)
    if (claim === undefined) {
      await wait(LOOK_MS)
      continue
    }
    let started: CampaignRecord | undefined
    try {
      const judged = await judgeAll(needs, campaign, claim)
      refuseUnless(judged.sendable, confirmed)
      if (judged.sendable === 0)
        throw new Refusal('nothing_to_send', 'No row of the campaign can be sent. Look at its preview.')
      started = await prepareAndStart(needs, caller, campaign, judged, claim)
    } finally {
      // If that fails, the claim ends by itself.
      if (started === undefined) await claim.release().catch(() => {})
    }
    // The draft or its rows were changed meanwhile: they are judged again.
    if (started === undefined) continue
    live.changed(campaign.company_id, 'campaigns', 'audit')
    feed()
    const view = await asCampaign(needs, started)
    await keepPlan(needs, view)
    return view
  }
}

/** Keeps the first estimate of the end, so that people see how it has moved. Lost if the server dies here. */
async function keepPlan({ db }: Needs, { id, finishes_at }: Campaign): Promise<void> {
  if (finishes_at === null) return
  const planned_s = Math.round(Date.parse(finishes_at) / 1_000)
  await db.write((tx) => countStore(tx).add(id, PLANNED, planned_s))
}

function refuseUnless(sendable: number, confirmed: number): void {
  if (sendable === confirmed) return
  const detail = `The campaign has ${sendable} rows to send now, not ${confirmed}. Look at its preview again.`
  throw new Refusal('rows_changed', detail, { params: { sendable }, facts: { sendable } })
}

/** Half of the rows must not be sent as if they were all. */
async function refuseIfUploading({ db }: Pick<Needs, 'db'>, id: number): Promise<void> {
  const rows = await countStore(db.read).one(id, UPLOADING)
  if (rows === undefined) return
  const detail = `The upload of ${rows} rows has not reached its end. Upload them again, with "last" in the last call.`
  throw new Refusal('upload_incomplete', detail)
}

type AllJudged = {
  sendable: number
  parts: number
  skipped: SkippedRow[]
  members: CampaignRows[]
  rows: number
}

async function judgeAll(
  needs: Needs,
  campaign: CampaignRecord,
  { keep }: Pick<DraftClaim, 'keep'>,
): Promise<AllJudged> {
  const all: AllJudged = { sendable: 0, parts: 0, skipped: [], members: [], rows: 0 }
  for await (const rows of judgeRows(needs, campaign)) {
    await keep()
    for (const { line, number, member, rendered, reason, fault, stored } of rows) {
      all.rows++
      const why = fault && !stored ? JSON.stringify(fault) : null
      if (reason === undefined) {
        all.sendable++
        all.parts += rendered.fault ? 0 : rendered.parts
      } else if (!member) all.skipped.push({ line, reason, fault: why })
      if (member)
        all.members.push({
          campaign_id: campaign.id,
          line,
          number,
          name: null,
          name_key: '',
          fields: '{}',
          at: null,
          due_at: '',
          state: reason === undefined ? 'pending' : 'skipped',
          reason: reason ?? null,
          fault: why,
          blocked: 0,
          message_id: null,
          changed_at: null,
        })
    }
  }
  return all
}

/** The started campaign; `undefined` if the draft has changed since it was claimed. */
async function prepareAndStart(
  { clock }: Needs,
  caller: Caller,
  campaign: CampaignRecord,
  { sendable, parts, skipped, members, rows }: AllJudged,
  { write }: Pick<DraftClaim, 'write'>,
): Promise<CampaignRecord | undefined> {
  const { id } = campaign
  const now = instant(clock.now())
  const steps: Parameters<DraftClaim['write']>[0][] = []
  for (let at = 0; at < skipped.length; at += AT_ONCE)
    steps.push((tx) => preparationStore(tx, id).skip(skipped.slice(at, at + AT_ONCE), now))
  for (let at = 0; at < members.length; at += AT_ONCE)
    steps.push((tx) => rowStore(tx, id).insert(members.slice(at, at + AT_ONCE)))
  for (const step of steps) {
    if (!(await write(step))) return undefined
    await turn()
  }
  const state = stateAtStart(campaign, now)
  const change = { state, started_at: now, rows, starting: null, starting_until: null }
  const started = await write(async (tx) => {
    await campaignStore(tx, caller.scope).update(id, change)
    const counts = countStore(tx)
    for (const [figure, count] of [
      ['pending', sendable],
      ['skipped', rows - sendable],
      [CONFIRMED, sendable],
      [PARTS, parts],
    ] as const)
      await counts.add(id, figure, count)
    await record(tx, clock, caller, campaign, 'started', { rows: { from: null, to: sendable } })
  })
  return started ? { ...campaign, ...change } : undefined
}
