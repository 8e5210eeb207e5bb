import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { type Clock, DAY_MS, instant, MINUTE_MS } from '#server/core/clock.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import type { Live } from '#server/core/live.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { AlertWatches } from '#server/database/alert-tables.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { type Ended, type Held, type ConditionNeeds, findHeld, findEnded } from './conditions.ts'
import { follow, type Watch } from './hysteresis.ts'
import { noteTelling } from './noting.ts'
import { repeatAlerts } from './repeating.ts'
import { type AlertRuleRow, alertRuleStore, alertStore, alertWatchStore } from './store.ts'
import { alertSubjects } from './subjects.store.ts'

type Needs = { db: Database; clock: Clock; live: Pick<Live, 'changed'> } & Pick<
  ConditionNeeds,
  'rules' | 'installation'
>

const CHECK_MS = 10_000
/** How often a server asks whether it leads. */
const ASK_MS = 1_000
/** After a start, devices have this long to come back. */
const BACK_MS = MINUTE_MS
/** Subjects that one transaction changes, so that other writes get a turn. */
const STEP = 200
/** A message may be committed this much later than it ended. */
const LATE_MS = 120_000

/** Opens and resolves alerts. One of several servers does this. */
export function startAlertChecks(needs: Needs & { log: Logger; replica: Pick<Replica, 'leads'> }): Loop {
  const { log, replica } = needs
  let check: (() => Promise<void>) | undefined
  return startLoop({
    name: 'alerts',
    every_ms: CHECK_MS,
    log,
    async work() {
      if (!replica.leads()) {
        check = undefined
        return ASK_MS
      }
      check ??= openAlertChecks(needs)
      await check()
    },
  })
}

/** Returns the check of all rules. Everything that must outlive a restart is in the database. */
export function openAlertChecks(needs: Needs): () => Promise<void> {
  const { db, clock, live } = needs
  const started_ms = clock.now()
  /** When each rule was last checked as it is, because failure rates only look at new failures. */
  let checked = new Map<string, number>()

  return async () => {
    const now_ms = clock.now()
    const settles_from = Math.abs(now_ms - started_ms) < BACK_MS ? instant(started_ms) : undefined
    const next = new Map<string, number>()
    const rules = await alertRuleStore(db.read, 'all').enabled()
    for (const rule of rules) {
      const key = JSON.stringify(rule)
      const failures_from_ms = (checked.get(key) ?? now_ms - DAY_MS) - LATE_MS
      const moves = await movesOf(
        { ...needs, tx: db.readInWorker, failures_from_ms },
        db.read,
        rule,
        settles_from,
      )
      let changed = false
      for (let at = 0; at < moves.length; at += STEP) {
        const some = moves.slice(at, at + STEP)
        changed = (await db.write((tx) => apply(tx, rule, some, instant(now_ms)))) || changed
        crashPoint('alerted')
      }
      next.set(key, now_ms)
      if (changed) live.changed(rule.company_id, 'alerts')
    }
    checked = next
    await repeatAlerts(needs, rules)
  }
}

/** A change of the watch of one subject. */
type Move = {
  subject_id: string
  before: AlertWatches | undefined
  /** Undefined: forget it. */
  watch: Watch | undefined
  event: 'opened' | 'resolved' | 'closed' | undefined
  held: Held | undefined
}

async function movesOf(
  needs: ConditionNeeds,
  read: Tx,
  rule: AlertRuleRow,
  settles_from: string | undefined,
): Promise<Move[]> {
  const watches = new Map((await alertWatchStore(read, rule.id).all()).map((row) => [row.subject_id, row]))
  const held = await findHeld(needs, rule, [...watches.keys()])
  const gone = [...watches.keys()].filter((id) => !held.has(id))
  const ended = await findEnded(needs, rule, gone)
  const now_ms = needs.clock.now()
  const whole_ms = wholeTimeOf(rule)
  const moves: Move[] = []
  const subjects = new Set([...watches.keys(), ...held.keys()])
  const unsure = await unsureOf(needs, rule, [...subjects], settles_from, ended)
  for (const subject_id of subjects) {
    const row = watches.get(subject_id)
    const found = held.get(subject_id)
    const over = ended.get(subject_id)
    const before = row && watchOf(row)
    if (over?.again) continue
    if (found === undefined && over === undefined) {
      // The subject is gone.
      moves.push({
        subject_id,
        before: row,
        watch: undefined,
        event: row!.alert_id === null ? undefined : 'closed',
        held: undefined,
      })
      continue
    }
    const holds = unsure.has(subject_id) ? undefined : found !== undefined
    const { since_ms, paused = false } = (found ?? over)!
    const { watch, event } = follow(before, { holds, since_ms, paused }, whole_ms, now_ms)
    if (!isDeepStrictEqual(watch, before)) moves.push({ subject_id, before: row, watch, event, held: found })
  }
  return moves
}

/** After a start, the status of a device that has not come back yet proves nothing. */
async function unsureOf(
  { tx }: Pick<ConditionNeeds, 'tx'>,
  { company_id, condition }: AlertRuleRow,
  subjects: readonly string[],
  settles_from: string | undefined,
  ended: ReadonlyMap<string, Ended>,
): Promise<ReadonlySet<string>> {
  if (settles_from === undefined) return new Set()
  const away = subjects.filter((id) => {
    if (condition === 'device_away') return !ended.has(id)
    return condition === 'radio_not_ready' && ended.get(id)?.away === true
  })
  if (away.length === 0) return new Set()
  const came = await alertSubjects(tx, company_id).cameSince(away, settles_from)
  return new Set(away).difference(new Set(came))
}

/** In ms; undefined: two checks in a row. */
function wholeTimeOf({ condition, value }: AlertRuleRow): number | undefined {
  return condition === 'device_away' || condition === 'radio_not_ready' ? value! * MINUTE_MS : undefined
}

/** Returns whether an alert changed. Does nothing if the rule is gone, off, or checked by another server meanwhile. */
async function apply(tx: Tx, rule: AlertRuleRow, moves: readonly Move[], now: string): Promise<boolean> {
  const present = await alertRuleStore(tx, 'all').hold(rule.id)
  if (present?.enabled !== 1) return false
  const watches = alertWatchStore(tx, rule.id)
  const rows = new Map(
    (await watches.of(moves.map(({ subject_id }) => subject_id))).map((row) => [row.subject_id, row]),
  )
  const alerts = alertStore(tx, 'all')
  let changed = false
  for (const { subject_id, before, watch, event, held } of moves) {
    const row = rows.get(subject_id)
    if ((row?.alert_id ?? null) !== (before?.alert_id ?? null)) continue
    let alert_id = before?.alert_id ?? null
    if (event === 'opened') alert_id = await alerts.insert(alertOf(rule, watch!, held!, now))
    else if (event !== undefined) await alerts.update(alert_id!, { resolved_at: now })
    if (event !== undefined) await noteTelling(tx, present, alert_id!, event, Date.parse(now))
    changed ||= event !== undefined
    if (watch === undefined) await watches.remove(subject_id)
    else await watches.put(subject_id, rowOf(watch, alert_id))
  }
  crashPoint('alerting')
  return changed
}

function alertOf(rule: AlertRuleRow, { since_ms }: Watch, { subject, facts }: Held, now: string) {
  const { id: rule_id, company_id, condition, value } = rule
  return {
    company_id,
    rule_id,
    condition,
    value,
    subject_kind: subject.kind,
    subject_id: subject.id,
    subject_name: subject.name,
    since: instant(since_ms),
    opened_at: now,
    facts: JSON.stringify(facts),
  }
}

function watchOf({ since, checks, gone_since, gone_checks, paused, alert_id }: AlertWatches): Watch {
  return {
    gone_since_ms: gone_since === null ? null : Date.parse(gone_since),
    gone_checks,
    paused: paused === 1,
    open: alert_id !== null,
    since_ms: Date.parse(since),
    checks,
  }
}

function rowOf(watch: Watch, alert_id: number | null): Omit<AlertWatches, 'rule_id' | 'subject_id'> {
  const { since_ms, checks, gone_since_ms, gone_checks, paused } = watch
  return {
    since: instant(since_ms),
    checks,
    gone_since: gone_since_ms === null ? null : instant(gone_since_ms),
    gone_checks,
    paused: paused ? 1 : 0,
    alert_id,
  }
}
