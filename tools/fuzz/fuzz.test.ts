import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explore } from './explore.ts'
import { testedClient } from '../../scripts/tested-clients.ts'
import { probe } from './targets/probe.ts'
import { foundEarlier, type Target, tryInput } from './target.ts'
import { targets } from './targets.ts'

/** Each target is tried with new inputs for this long; `npm run fuzz` does it for longer. */
const TRY_MS = 250

for (const target of targets) {
  test(`${target.name} behaves as promised for any bytes`, async (t) => {
    if (target.name === 'smpp') testedClient(t, { door: 'SMPP', client: 'octets', tried: 'mutated PDUs' })
    const seed = Math.trunc(Math.random() * 2 ** 31)
    t.diagnostic(`seed ${seed}`)
    for (const { name, input } of foundEarlier(target)) {
      await tryInput(target, input).catch((error: unknown) => {
        throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        })
      })
    }
    for await (const { findings, runs } of explore(target, { seed, until_ms: Date.now() + TRY_MS })) {
      assert.ok(runs > 0)
      for (const { input, error } of findings)
        throw new Error(`It goes wrong with the octets ${input.toString('hex')}`, { cause: error })
    }
  })
}

test('the fuzzer finds and shrinks an error that only step-by-step progress can reach', async () => {
  const target: Target = {
    name: 'none',
    package: 'contract',
    seeds: ['???'],
    words: [],
    check: (input) => probe(input.toString('latin1')),
  }
  const until_ms = Date.now() + 30_000
  for await (const { findings } of explore(target, { seed: 1, until_ms })) {
    const [finding] = findings
    if (!finding) continue
    assert.equal(finding.input.toString(), 'SMS')
    return
  }
  assert.fail('It was not found')
})
