import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isOlder, VERSION } from '@sdd/contract/core/version.ts'
import type { AgentVersions } from '@sdd/contract/fleet/agents.ts'
import { agentReleases } from './releases.ts'
import { sourcePath } from '#server/core/source-path.ts'
import type { Scope } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import { countByAgent } from '#server/fleet/devices/overview.ts'

/** Each release has it, next to package.json. */
const CHANGELOG = join(sourcePath('fleet/agents/agents.ts'), '../../../../../../CHANGELOG.md')

/** Devices choose what they report. */
const MOST_AGENTS = 200

export async function agentVersions(
  { db }: { db: Pick<Database, 'readInWorker'> },
  scope: Scope,
): Promise<AgentVersions> {
  const [rows, text] = await Promise.all([
    countByAgent(db.readInWorker, scope, MOST_AGENTS),
    readFile(CHANGELOG, 'utf8'),
  ])
  return {
    newest: VERSION,
    agents: rows.map(({ agent, devices, connected }) => {
      const version = versionOf(agent)
      return { agent, version, devices, connected, older: version !== null && isOlder(version, VERSION) }
    }),
    releases: agentReleases(text, VERSION),
  }
}

/** The version of our agent; null for other programs. */
function versionOf(agent: string | null): string | null {
  return /^sdd-agent\/(\d+\.\d+\.\d+(?:-[0-9a-z.]+)?)$/.exec(agent ?? '')?.[1] ?? null
}
