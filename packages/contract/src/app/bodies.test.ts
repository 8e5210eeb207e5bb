import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from './api.ts'

/** The calls of the console's specification, and those of an external broker, which words them itself. */
const LENIENT = [
  'POST /api/login',
  'POST /api/user',
  'POST /api/broker/authenticate',
  'POST /api/broker/authorize',
  'POST /api/device-send-sms',
  'POST /api/global-settings',
  'POST /api/device-list-settings',
]

test('every body refuses fields that the API does not know, except those of the specification and of a broker', () => {
  const lenient = routes.filter(({ body }) => {
    const issues = body?.safeParse({ no_such_field: 1 }).error?.issues ?? []
    const all = issues.flatMap((issue) => (issue.code === 'invalid_union' ? issue.errors.flat() : [issue]))
    return body && !all.some(({ code }) => code === 'unrecognized_keys')
  })
  assert.deepEqual(
    lenient.map(({ method, path }) => `${method} ${path}`),
    LENIENT,
  )
})
