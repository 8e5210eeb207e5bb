import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as z from 'zod/mini'
import { errorParams, fieldParams } from './error-params.ts'
import { errorStatus } from './errors.ts'

const namesIn = (schemas: Record<string, z.ZodMiniType>) =>
  Object.fromEntries(
    Object.entries(schemas).flatMap(([code, schema]) => {
      const names = Object.keys((schema as z.ZodMiniObject).shape)
      return names.length === 0 ? [] : [[code, names.join()]]
    }),
  )

test('every error declares its params, and those with facts in their sentence name them', () => {
  assert.deepEqual(Object.keys(errorParams).sort(), Object.keys(errorStatus).sort())
  assert.deepEqual(namesIn(errorParams), {
    forbidden: 'reason,role,name',
    class_forbidden: 'class,classes',
    device_disconnected: 'device,since',
    device_disabled: 'device,since',
    device_in_maintenance: 'device,until',
    sending_disabled: 'since,by',
    not_able: 'device,what',
    order_under_way: 'order',
    last_superadmin: 'name',
    task_not_discardable: 'device,state,at',
    wrong_state: 'state',
    rows_changed: 'sendable',
    routes_changed: 'version',
    too_many_tags: 'max',
    no_route: 'route,tag',
    opted_out: 'number,at,by',
    no_consent: 'number',
    destination_refused: 'number,prefix',
    too_many_attempts: 'retry_after',
    daily_limit: 'device,limit,sent,parts,until',
    plan_used: 'device,iccid,at,valid_until',
    recipient_limit: 'number,limit,until',
    quota_reached: 'quota',
  })
})

test('every fault of a field declares its params', () => {
  assert.deepEqual(namesIn(fieldParams), {
    too_short: 'min',
    too_long: 'max',
    out_of_range: 'min,max',
    not_one_of: 'values',
    too_many_segments: 'segments,max',
    too_many: 'max',
    destination_refused: 'prefix',
  })
})
