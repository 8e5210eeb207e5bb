import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DebianPackage } from './deb.ts'
import type { Processor, Staged } from './stage.ts'

type Asked = { version: string; processor: Processor; staged: Staged }

/** What Node is linked against. */
const NODE_NEEDS = ['libc6 (>= 2.28)', 'libstdc++6 (>= 12)', 'libatomic1']
const NEEDS = [...NODE_NEEDS, 'passwd', 'init-system-helpers (>= 1.54~)']

export function serverPackage({ version, processor, staged }: Asked): DebianPackage {
  const name = 'sms-drone-dash'
  const [lib, doc] = [`usr/lib/${name}`, `usr/share/doc/${name}`]
  const pages = globSync('docs/*.md', { cwd: staged.tree }).map((page) => [
    `${doc}/${basename(page)}`,
    join(staged.tree, page),
  ])
  return {
    name,
    version,
    processor,
    // With the `kill` of its unit.
    depends: [...NEEDS, 'procps'],
    summary: 'console and gateway for fleets of devices that send SMS',
    description: `
The server takes messages from people, from other systems and from programs
that speak Kannel, Twilio, SMPP or SMTP, and hands them to modems and phones.
It serves the console. It brings its own Node and an embedded database.`,
    copied: {
      [lib]: staged.server,
      [`${lib}/bin/node`]: staged.node[processor],
      ...Object.fromEntries(pages),
    },
    written: {
      [`usr/lib/systemd/system/${name}.service`]: {
        text: serverUnit(read(staged, 'deploy/systemd/sms-drone-dash.service')),
      },
      [`etc/${name}/server.env`]: {
        text: serverSettings(read(staged, 'deploy/systemd/sms-drone-dash.env')),
        mode: 0o640,
      },
      'usr/sbin/sms-drone-dash': { text: read(staged, 'deploy/debian/sms-drone-dash'), mode: 0o755 },
    },
    settings: [`etc/${name}/server.env`],
  }
}

export function agentPackage({ version, processor, staged }: Asked): DebianPackage {
  const name = 'sdd-agent'
  const [lib, doc] = [`usr/lib/${name}`, `usr/share/doc/${name}`]
  const pages = ['agent', 'modems', 'device-protocol'].map((page) => [
    `${doc}/${page}.md`,
    join(staged.tree, `docs/${page}.md`),
  ])
  return {
    name,
    version,
    processor,
    depends: NEEDS,
    summary: 'makes a modem or a phone a device of SMS Drone Dash',
    description: `
The agent connects modems and phones to a server of SMS Drone Dash, and sends
and receives their SMS. It brings its own Node.`,
    copied: {
      [lib]: staged.agent,
      [`${lib}/bin/node`]: staged.node[processor],
      ...Object.fromEntries(pages),
    },
    written: {
      [`usr/lib/systemd/system/${name}.service`]: {
        text: agentUnit(read(staged, 'docs/agent/sdd-agent.service')),
      },
      [`etc/${name}/agent.env`]: { text: AGENT_SETTINGS, mode: 0o640 },
      [`usr/bin/${name}`]: { text: read(staged, 'deploy/debian/sdd-agent'), mode: 0o755 },
    },
    settings: [`etc/${name}/agent.env`],
  }
}

const AGENT_SETTINGS = `# Variables of the agent's service, one a line. A device's settings are those of 'sdd-agent link'.

# The time zone of the log.
#TZ=Europe/Madrid
# An internal certificate authority of the server.
#NODE_EXTRA_CA_CERTS=/etc/sdd-agent/ca.pem
`

/** The unit of deploy/systemd, for the package's folders and user. */
export function serverUnit(unit: string): string {
  return changed(unit, [
    [/^#[^]*?(?=\[Unit\])/, ''],
    ['/opt/sms-drone-dash/docs/', '/usr/share/doc/sms-drone-dash/'],
    ['# A dedicated user, created beforehand, so that certificate files can belong to it.\n', ''],
    ['User=sms\nGroup=sms\n', 'User=sms-drone-dash\nGroup=sms-drone-dash\n'],
    ['StateDirectory=sms\n', 'StateDirectory=sms-drone-dash\n'],
    [/\/var\/lib\/sms(?=[/,])/g, '/var/lib/sms-drone-dash'],
    [
      '# All other settings (docs/configuration.md). The file may contain passwords: owner root, mode 0600.\n',
      '',
    ],
    ['-/etc/sms-drone-dash.env', '-/etc/sms-drone-dash/server.env'],
    ['/opt/sms-drone-dash/node_modules/.bin/node', '/usr/lib/sms-drone-dash/bin/node'],
    ['WorkingDirectory=/opt/', 'WorkingDirectory=/usr/lib/'],
    [/docs\/(\w+\.md)/g, '/usr/share/doc/sms-drone-dash/$1'],
  ])
}

function serverSettings(settings: string): string {
  return changed(settings, [
    [
      'docs/configuration.md lists them all. Copy to /etc/sms-drone-dash.env, owner root, mode 0600.',
      '/usr/share/doc/sms-drone-dash/configuration.md lists them all.',
    ],
    [/\/var\/lib\/sms(?=\/)/g, '/var/lib/sms-drone-dash'],
    ['docs/operating.md', 'operating.md, next to it'],
  ])
}

/** The unit of docs/agent, for the package's folders. It starts once a device is linked. */
export function agentUnit(unit: string): string {
  return changed(unit, [
    [/^#[^]*?(?=\[Unit\])/, ''],
    [
      '\n[Service]\n',
      '# Until a device is linked there is nothing to run.\nConditionDirectoryNotEmpty=/var/lib/sdd-agent\n\n[Service]\nEnvironmentFile=-/etc/sdd-agent/agent.env\n',
    ],
    ['/usr/local/bin/', '/usr/bin/'],
  ])
}

function changed(text: string, changes: [from: string | RegExp, to: string][]): string {
  return changes.reduce((now, [from, to]) => {
    const next = now.replace(from, to)
    if (next === now) throw new Error(`A file of deploy/ has changed: it no longer has ${String(from)}`)
    return next
  }, text)
}

function read({ tree }: Staged, path: string): string {
  return readFileSync(join(tree, path), 'utf8')
}
