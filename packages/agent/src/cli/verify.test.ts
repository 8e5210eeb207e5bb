import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '#test/agents.ts'
import { openTerminal } from '#test/terminal.ts'

/** A signed release with two files, and the agent's folder with the key. */
function begin(t: TestContext) {
  const [folder, own] = [temporaryFolder(t), temporaryFolder(t)]
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const sums = ['install.sh', 'sdd-agent-1.2.3.tgz']
    .map((name) => `${createHash('sha256').update(name).digest('hex')}  ${name}\n`)
    .join('')
  put('install.sh', 'install.sh')
  put('sdd-agent-1.2.3.tgz', 'sdd-agent-1.2.3.tgz')
  put('SHA256SUMS', sums)
  put('SHA256SUMS.sig', `${sign(null, Buffer.from(sums), privateKey).toString('base64')}\n`)
  writeFileSync(join(own, 'release-key.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
  const type = openTerminal(t, own)
  return {
    folder,
    own,
    put,
    remove: (name: string) => rmSync(join(folder, name)),
    check: () => type('verify', folder),
    type,
  }
}

test('a signed release is accepted, also if only some of its files were fetched', async (t) => {
  const { check, remove } = begin(t)
  const whole = await check()
  assert.equal(
    whole.printed,
    '  good  install.sh\n  good  sdd-agent-1.2.3.tgz\nThey are signed and unchanged.',
  )
  remove('install.sh')
  assert.equal((await check()).status, 0)
})

const refusals: [title: string, wrong: (its: ReturnType<typeof begin>) => void, says: RegExp][] = [
  ['without a signature', ({ remove }) => remove('SHA256SUMS.sig'), /not signed: it has no SHA256SUMS\.sig/],
  [
    'that another key signed',
    ({ own }) =>
      writeFileSync(
        join(own, 'release-key.pem'),
        generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }),
      ),
    /signed with another key, or its list was changed/,
  ],
  ['with an empty signature', ({ put }) => put('SHA256SUMS.sig', ''), /signed with another key/],
  ['with a changed list', ({ put }) => put('SHA256SUMS', ''), /its list was changed/],
  ['with a changed file', ({ put }) => put('install.sh', 'rm'), /^install\.sh is damaged or was changed/],
  ['with a file that is not listed', ({ put }) => put('more.sh', ''), /^more\.sh is not of this release/],
  [
    'without its files',
    ({ remove }) => ['install.sh', 'sdd-agent-1.2.3.tgz'].forEach(remove),
    /has no file of the release/,
  ],
  ['without a list', ({ remove }) => remove('SHA256SUMS'), /is not a release: it has no SHA256SUMS/],
]

for (const [title, wrong, says] of refusals) {
  test(`a release ${title} is refused, and the reason is one sentence`, async (t) => {
    const its = begin(t)
    wrong(its)
    const { status, printed, complained } = await its.check()
    assert.equal(status, 1)
    assert.equal(printed, '')
    assert.match(complained, says)
  })
}

test('without the key of the releases nothing is accepted', async (t) => {
  const { type, folder, own } = begin(t)
  const missing = await type('verify', folder, '--key', join(own, 'none.pem'))
  assert.match(missing.complained, /There is no key of the releases at .*none\.pem: name it with --key/)
  mkdirSync(join(own, 'other'))
  writeFileSync(join(own, 'other/release-key.pem'), 'not a key')
  const wrong = await type('verify', folder, '--dir', join(own, 'other'))
  assert.match(wrong.complained, /must be an Ed25519 key as PEM/)
  assert.deepEqual([missing.status, wrong.status], [1, 1])
})
