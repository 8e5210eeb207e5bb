import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverOf, urlsOf } from '@sdd/storage/postgres/url.ts'

const lists: [string, string[]][] = [
  ['postgres://me:pw@db/sms', ['postgres://me:pw@db/sms']],
  [
    'postgres://me:p%40w@a:5433,b/sms?sslmode=verify-full&target_session_attrs=read-write',
    ['postgres://me:p%40w@a:5433/sms?sslmode=verify-full', 'postgres://me:p%40w@b/sms?sslmode=verify-full'],
  ],
  ['postgresql://[::1]:1,[::2]:2', ['postgresql://[::1]:1', 'postgresql://[::2]:2']],
  [
    'postgres://me@localhost/sms?host=/run/a,/run/b&port=5433',
    [
      'postgres://me@localhost/sms?host=%2Frun%2Fa&port=5433',
      'postgres://me@localhost/sms?host=%2Frun%2Fb&port=5433',
    ],
  ],
  ['postgres:///sms?host=a,b&port=1,2', ['postgres:///sms?host=a&port=1', 'postgres:///sms?host=b&port=2']],
]
for (const [url, urls] of lists) {
  test(`${url} leads to ${urls.length === 1 ? 'one server' : `${urls.length} servers`}`, () => {
    assert.deepEqual(urlsOf(url), urls)
  })
}

test('an invalid list of servers is refused without repeating the password', () => {
  for (const [url, why] of [
    ['postgres://me:hidden@a,/sms', /gap/],
    ['postgres://me:hidden@x/sms?host=a,b,c&port=1,2', /one port/],
    ['postgres://me:hidden@a,b/sms?target_session_attrs=prefer-standby', /read-write/],
  ] as const)
    assert.throws(
      () => urlsOf(url),
      (error: Error) => why.test(error.message) && !/hidden/.test(error.message),
    )
})

test('a log names a server without its user and password', () => {
  assert.equal(serverOf('postgres://me:hidden@a:5433/sms'), 'a:5433')
  assert.equal(serverOf('postgres://me:hidden@localhost/sms?host=%2Frun%2Fa'), '/run/a')
})
