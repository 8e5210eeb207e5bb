import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Refusal } from '#server/core/refusal.ts'
import { readHosts } from '#server/core/hosts.ts'
import { openAddresses, openUrlCheck, refuseCallbackUrl } from './addresses.ts'
import { isPublic } from './ranges.ts'

const COMPANY = 1

const special = `
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.254 127.0.0.1 127.255.0.1
  169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1
  198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1
  255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:a00:1
  64:ff9b::1.1.1.1 64:ff9b:1::1 100::1 2001::1 2001:2::1 2001:10::1 2001:db8::1
  2002:7f00:1::1 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1
`
  .trim()
  .split(/\s+/)
const open = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.0.0.1 128.0.0.1
  172.15.0.1 172.32.0.1 192.167.1.1 192.169.1.1 198.17.0.1 223.255.255.255
  2606:4700:4700::1111 2a00:1450::1 2001:4860:4860::8888 2400:cb00::1
`
  .trim()
  .split(/\s+/)

test('only addresses of the public internet are public', () => {
  assert.deepEqual([...special, '', 'localhost'].filter(isPublic), [])
  assert.deepEqual(
    open.filter((address) => !isPublic(address)),
    [],
  )
})

const names: Record<string, string[]> = {
  'shop.example': ['1.1.1.1', '2606:4700::1'],
  'inside.example': ['10.1.2.3'],
  'both.example': ['1.1.1.1', '192.168.0.1'],
}

function openNames() {
  const asked: string[] = []
  const resolve = async (name: string) => {
    asked.push(name)
    if (names[name]) return names[name]
    throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
  }
  return { asked, resolve }
}

const refused = [
  'http://127.0.0.1:8080/hook',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://１２７.0.0.1/',
  'http://0/',
  'https://[::1]/',
  'https://[::ffff:7f00:1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://localhost:3000/',
  'http://LOCALHOST./',
  'http://a.localhost/',
  'https://inside.example/',
  'https://both.example/',
]
const accepted = [
  'https://shop.example/hook?x=1',
  'https://1.1.1.1/',
  'http://[2606:4700::1]:8080/',
  'https://nobody-knows.example/',
]

test('a private address is refused in any notation, and so is a name that resolves to one', async () => {
  const { resolve } = openNames()
  const addresses = openAddresses({ CALLBACK_ADDRESSES: 'public' }, resolve)
  for (const url of refused) {
    await assert.rejects(refuseCallbackUrl({ addresses }, COMPANY, url), (refusal: Refusal) => {
      assert.deepEqual([refusal.code, Object.keys(refusal.fields!)], ['invalid', ['callback_url']], url)
      assert.match(refusal.message, /callback_url: leads to an address that is not public/)
      return true
    })
  }
  for (const url of accepted) await refuseCallbackUrl({ addresses }, COMPANY, url)
})

test('the operator can allow any address', async () => {
  const addresses = openAddresses({ CALLBACK_ADDRESSES: 'any' }, openNames().resolve)
  for (const url of [...refused, ...accepted]) await refuseCallbackUrl({ addresses }, COMPANY, url, 'url')
  assert.deepEqual(await addresses.of(new URL('http://[::1]/'), COMPANY), { addresses: ['::1'] })
})

test('one check of many URLs looks each host up once', async () => {
  const { asked, resolve } = openNames()
  const check = openUrlCheck({ addresses: openAddresses({ CALLBACK_ADDRESSES: 'public' }, resolve) }, COMPANY)
  const urls = Array.from({ length: 1_000 }, (_, n) => `https://${n % 2 ? 'shop' : 'inside'}.example/${n}`)
  const why = await Promise.all(urls.map(check))
  assert.deepEqual(
    [why.filter((one) => one === undefined).length, asked.sort()],
    [500, ['inside.example', 'shop.example']],
  )
})

test('a name without an answer of its name server is accepted after 3 s at most, and checked when it is called', async () => {
  const silent = Promise.withResolvers<string[]>()
  const addresses = openAddresses({ CALLBACK_ADDRESSES: 'public' }, () => silent.promise)
  // The check's timer would not keep the test's process alive.
  const alive = setInterval(() => {}, 1_000)
  await refuseCallbackUrl({ addresses }, COMPANY, 'https://slow.example/')
  clearInterval(alive)
})

test('an unlisted host is refused without a look-up, and a listed private address is refused as always', async () => {
  const asked: string[] = []
  const resolve = async (name: string) => (asked.push(name), ['10.0.0.1'])
  const addresses = openAddresses(
    { CALLBACK_ADDRESSES: 'public', CALLBACK_HOSTS: readHosts('hooks.example.com')! },
    resolve,
  )
  const refusal = (url: string) =>
    refuseCallbackUrl({ addresses }, 1, url, 'url').catch(
      (error: unknown) => error as Record<string, unknown>,
    )
  const { code, fields } = (await refusal('https://other.example/')) ?? {}
  const why =
    'is none of the hosts and ports that this server calls (CALLBACK_HOSTS in docs/configuration.md)'
  assert.deepEqual([code, fields, asked], ['invalid', { url: why }, []])
  const inside = (await refusal('https://hooks.example.com/')) ?? {}
  assert.match(String(inside['message']), /url: leads to an address that is not public/)
})
