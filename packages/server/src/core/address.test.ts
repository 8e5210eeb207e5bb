import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAddressOrNetwork, networkOf, networksOf, openProxies, siteOf } from './address.ts'

const asks = (proxies: string[], remoteAddress: string, forwarded?: string) =>
  openProxies(proxies).askerOf({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } })

test('without a proxy, headers do not change the client address', () => {
  assert.equal(asks([], '203.0.113.7', '198.51.100.1'), '203.0.113.7')
  assert.equal(asks([], '::ffff:203.0.113.7'), '203.0.113.7')
  assert.equal(asks(['10.0.0.1'], '203.0.113.7', '198.51.100.1'), '203.0.113.7')
})

test('behind proxies the client is the nearest address that is not a proxy, and earlier entries are ignored', () => {
  assert.equal(asks(['10.0.0.0/8'], '10.1.2.3', '198.51.100.1'), '198.51.100.1')
  assert.equal(
    asks(['10.0.0.0/8'], '::ffff:10.1.2.3', 'made up, 127.0.0.1, 198.51.100.1, 10.9.9.9'),
    '198.51.100.1',
  )
  assert.equal(asks(['::1', '2001:db8::/32'], '::1', '2001:dead::1, 2001:db8::7'), '2001:dead::1')
})

test('if a proxy sends no usable address, the proxy itself is the client', () => {
  for (const forwarded of [undefined, '', 'unknown', '198.51.100.1:8080', 'x, ,'])
    assert.equal(asks(['10.0.0.1'], '10.0.0.1', forwarded), '10.0.0.1')
  assert.equal(asks(['10.0.0.1', '10.0.0.2'], '10.0.0.1', '10.0.0.2'), '10.0.0.2')
})

test('a list of proxies contains addresses and networks', () => {
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

test('an IPv4 address counts by itself, however it is written as an IPv6 one, and an IPv6 address by its /64', () => {
  for (const mapped of ['::ffff:203.0.113.7', '::FFFF:203.0.113.7', '0:0:0:0:0:ffff:cb00:7107']) {
    assert.equal(asks(['10.0.0.1'], '10.0.0.1', mapped), '203.0.113.7')
    assert.equal(networkOf(asks([], mapped)), '203.0.113.7')
  }
  assert.equal(siteOf('203.0.113.7'), undefined)
  for (const one of [
    '2001:db8:1:2::7',
    '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff',
    '2001:db8:1:2:3::203.0.113.7',
  ])
    assert.equal(networkOf(one), '2001:db8:1:2::/64', one)
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
  assert.equal(networkOf('::1'), '0:0:0:0::/64')
  assert.equal(siteOf('2001:db8:1:2::7'), '2001:db8:1::/48')
  assert.equal(networkOf(''), '', 'of a connection that is gone')
})

test('an address lies in the networks of its provider, its site and itself', () => {
  assert.deepEqual(networksOf('203.0.113.7'), ['203.0/16', '203.0.113/24', '203.0.113.7'])
  assert.deepEqual(networksOf('2001:db8:1:2::7'), ['2001:db8::/32', '2001:db8:1::/48', '2001:db8:1:2::/64'])
})
