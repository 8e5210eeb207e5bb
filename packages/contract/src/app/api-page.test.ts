import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type * as z from 'zod/mini'
import { errorParams, fieldParams, ForbiddenReason } from '@sdd/contract/core/error-params.ts'
import { type ErrorCode, errorStatus } from '@sdd/contract/core/errors.ts'
import { Changed } from '@sdd/contract/core/live.ts'
import { waitingParams } from '@sdd/contract/dispatch/waiting.ts'
import { errorMsgParams, noteParams } from '@sdd/contract/messages/outcomes.ts'
import { RowFaultCode } from '@sdd/contract/people/campaign-rows.ts'
import { routes } from './api.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/api.md'), 'utf8')

/** The part of the page under this heading. */
function section(heading: string): string {
  const [, rest] = page.split(`\n${heading}\n`)
  assert.ok(rest, heading)
  return rest.split(/\n#{2,3} /)[0]!
}

/** The names in backticks. */
const named = (text: string) => new Set([...text.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!))

const missing = (names: readonly string[], text: string) => names.filter((name) => !named(text).has(name))

/** Each code whose row of a table lacks it, or one of its params: `code: param`. */
function missingParams(text: string, schemas: Record<string, z.ZodMiniType>): string[] {
  const rows = text.split('\n').map((line) => line.split('|').map(named))
  return Object.entries(schemas).flatMap(([code, schema]) => {
    const own = rows.filter(([, codes]) => codes?.has(code)).map(([, , params]) => params)
    const keys = Object.keys((schema as z.ZodMiniObject).shape)
    if (own.length === 0) return [code]
    return keys.filter((key) => !own.some((params) => params?.has(key))).map((key) => `${code}: ${key}`)
  })
}

test('docs/api.md names each error next to its status', () => {
  const rows = section('## Errors')
    .split('\n')
    .map((line) => line.split('|'))
    .filter((cells) => cells.length > 3)
  const codesOf = (status: number) =>
    named(
      rows.find(([, statuses]) => statuses!.split(',').some((each) => Number(each) === status))?.[2] ?? '',
    )
  const own = Object.entries(errorStatus) as [ErrorCode, number][]
  const others = routes.flatMap((route) => Object.entries(route.errorStatuses) as [ErrorCode, number][])
  assert.ok(others.length > 0)
  assert.deepEqual(
    [...own, ...others].filter(([code, status]) => !codesOf(status).has(code)),
    [],
  )
})

test('docs/api.md names the params of each error', () => {
  const [errors, fields] = section('### Codes and their params').split('| `code` in `field_codes`')
  const telling = Object.fromEntries(
    Object.entries(errorParams).filter(([, schema]) => Object.keys(schema.shape).length > 0),
  )
  assert.deepEqual(missingParams(errors!, telling), [])
  assert.deepEqual(missing(ForbiddenReason.options, errors!), [])
  assert.deepEqual(missingParams(fields!, fieldParams), [])
})

test('docs/api.md names each reason why a message waits or failed, with its params', () => {
  assert.deepEqual(missingParams(section('### Why a message waits'), waitingParams), [])
  const [reasons, notes] = section('### Why a message failed, and its attempts').split(
    '| `code` in `notes_codes`',
  )
  assert.deepEqual(missingParams(reasons!, errorMsgParams), [])
  assert.deepEqual(missingParams(notes!, noteParams), [])
})

test('docs/api.md names each list of `/front/change`', () => {
  assert.deepEqual(missing(Changed.options, section('## Live topics')), [])
})

test('docs/api.md names each fault of a row of a campaign', () => {
  assert.deepEqual(missing(RowFaultCode.options, section('## Campaigns')), [])
})
