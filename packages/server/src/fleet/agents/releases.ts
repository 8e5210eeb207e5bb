import type { AgentRelease } from '@sdd/contract/fleet/agents.ts'

/** The part of a release that has the agent's changes. Those of the server that are there too do not name the agent. */
const PART = /^### Devices and the agent\n([^]*?)(?=^### |$(?![^]))/m

/**
 * The changes of the agent by release, newest first, from CHANGELOG.md. Unreleased changes are of `version`, unless it
 * has a heading: then no agent reports a version that has them.
 */
export function agentReleases(changelog: string, version: string): AgentRelease[] {
  const [, ...parts] = changelog.split(/^## /m)
  const released = parts.some((part) => part.startsWith(`${version} `))
  return parts.flatMap((part) => {
    const [, name, date = null] = /^(\S+)(?: \((\S+)\))?\n/.exec(part) ?? []
    if (name === undefined || (name === 'Unreleased' && released)) return []
    return { version: name === 'Unreleased' ? version : name, date, changes: changesIn(part) }
  })
}

function changesIn(part: string): string[] {
  const [, list = ''] = PART.exec(part) ?? []
  return list
    .split(/^- /m)
    .map((item) => plain(item.replaceAll(/\s+/g, ' ').trim()))
    .filter((item) => /\bagents?\b/i.test(item))
}

/** Without the marks of Markdown. */
function plain(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
}
