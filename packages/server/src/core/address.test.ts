import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAddressOrNetwork, openProxies } from './address.ts'

const asks = (proxies: string[], remoteAddress: string, forwarded?: string) =>
  openProxies(proxies).askerOf({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } })

test('without a proxy nobody asks for another, whatever a header says', () => {
  assert.equal(asks([], '203.0.113.7', '198.51.100.1'), '203.0.113.7')
  assert.equal(asks([], '::ffff:203.0.113.7'), '203.0.113.7')
  assert.equal(asks(['10.0.0.1'], '203.0.113.7', '198.51.100.1'), '203.0.113.7')
})

test('through proxies the nearest address that is none asks, and what stands before it is not believed', () => {
  assert.equal(asks(['10.0.0.0/8'], '10.1.2.3', '198.51.100.1'), '198.51.100.1')
  assert.equal(
    asks(['10.0.0.0/8'], '::ffff:10.1.2.3', 'made up, 127.0.0.1, 198.51.100.1, 10.9.9.9'),
    '198.51.100.1',
  )
  assert.equal(asks(['::1', '2001:db8::/32'], '::1', '2001:dead::1, 2001:db8::7'), '2001:dead::1')
})

test('where a proxy says nothing that can be used, it is itself who asks', () => {
  for (const forwarded of [undefined, '', 'unknown', '198.51.100.1:8080', 'x, ,'])
    assert.equal(asks(['10.0.0.1'], '10.0.0.1', forwarded), '10.0.0.1')
  assert.equal(asks(['10.0.0.1', '10.0.0.2'], '10.0.0.1', '10.0.0.2'), '10.0.0.2')
})

test('a list of proxies has addresses and networks', () => {
  for (const good of ['127.0.0.1', '::1', '10.0.0.0/8', '0.0.0.0/0', 'fd00::/8', '192.168.1.1/32'])
    assert.ok(isAddressOrNetwork(good), good)
  for (const bad of [
    '',
    'proxy',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/',
    '::/129',
    '10.0.0.0/8/8',
    ' 10.0.0.1',
  ])
    assert.ok(!isAddressOrNetwork(bad), bad)
})
