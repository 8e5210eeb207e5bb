import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOlder } from '@sdd/contract/core/version.ts'
import { agentReleases } from './releases.ts'

const CHANGELOG = `# Changelog

## Unreleased

### Devices and the agent

- The agent does more. See
  [agent.md](docs/agent.md#new).
- Devices have names.

### Console and settings

- The console names the agent.

## 1.2.0 (2027-01-02)

### Console and settings

- Nothing about it.

## 1.1.0 (2026-12-01)

### Devices and the agent

- *Agents* obey \`doctor\`.
`

const OLD = [
  { version: '1.2.0', date: '2027-01-02', changes: [] },
  { version: '1.1.0', date: '2026-12-01', changes: ['Agents obey doctor.'] },
]

test('the agent’s changes of each release are read from the changelog, without Markdown', () => {
  const next = { version: '1.3.0', date: null, changes: ['The agent does more. See agent.md.'] }
  assert.deepEqual(agentReleases(CHANGELOG, '1.3.0'), [next, ...OLD])
})

test('changes after the server’s own release are of no version yet', () => {
  assert.deepEqual(agentReleases(CHANGELOG, '1.2.0'), OLD)
})

test('versions are compared by their numbers, and a preview is older than its version', () => {
  const sorted = ['0.2.0', '0.9.1', '0.10.0-rc.2', '0.10.0-rc.10', '0.10.0', '1.0.0']
  for (const [n, one] of sorted.entries())
    for (const [m, other] of sorted.entries()) assert.equal(isOlder(one, other), n < m, `${one} ${other}`)
})
