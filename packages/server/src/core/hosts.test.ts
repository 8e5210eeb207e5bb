import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listsHost, readHosts } from './hosts.ts'

const listed = readHosts(
  'hooks.example.com, *.Example.org:8443,127.0.0.1:9000 ,[2001:db8::1], pañal.example',
)!

const allowed = [
  'https://hooks.example.com/x?y=1',
  'http://hooks.example.com/',
  'https://HOOKS.example.com.:443/',
  'https://a.example.org:8443/',
  'http://a.b.example.org:8443/',
  'http://127.0.0.1:9000/',
  'http://2130706433:9000/',
  'https://[2001:DB8::1]/',
  'https://pañal.example/',
  'https://xn--paal-hqa.example/',
]
const refused = [
  'https://hooks.example.com:8443/',
  'http://hooks.example.com:443/',
  'https://example.com/',
  'https://a.hooks.example.com/',
  'https://hooks.example.com.evil.example/',
  'https://evilhooks.example.com/',
  'https://example.org:8443/',
  'https://evilexample.org:8443/',
  'https://a.example.org/',
  'http://127.0.0.1/',
  'http://127.0.0.1:9001/',
  'https://[2001:db8::2]/',
]

test('a list matches its hosts and ports in every spelling, and no others', () => {
  const goes = (url: string) => listsHost(listed, new URL(url))
  assert.deepEqual(
    allowed.filter((url) => !goes(url)),
    [],
  )
  assert.deepEqual(refused.filter(goes), [])
})

test('a list with an invalid entry is not read', () => {
  for (const text of [
    '',
    'a.example,',
    '*',
    '*.',
    'a.*.example',
    'https://a.example',
    'a.example/x',
    'a:b@c',
  ])
    assert.equal(readHosts(text), undefined, text)
  for (const text of [
    'a.example:0',
    'a.example:65536',
    'a.example:x',
    'a.example:',
    '2001:db8::1',
    '[::1',
    'a b',
  ])
    assert.equal(readHosts(text), undefined, text)
})
