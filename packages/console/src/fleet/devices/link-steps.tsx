import { Tabs } from '@base-ui/react/tabs'
import { useState, type ReactNode } from 'react'
import { linking as words } from './linking-text.ts'
import { agentCommands, isLoopback, linkCommand, type LinkWay } from './linking.ts'
import { CopyRow } from '#console/ui/copy-row.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { stripLook } from '#console/ui/strip.ts'

const ways: readonly LinkWay[] = ['modem', 'phone', 'none']

/** How a device joins with the code, step by step, for each kind of radio. `linked` leaves only the last step. */
export function LinkSteps({
  code,
  way,
  linked,
  onWay,
}: {
  code: string
  way: LinkWay
  linked: boolean
  onWay: (way: LinkWay) => void
}) {
  return (
    <Tabs.Root value={way} onValueChange={(next) => onWay(next as LinkWay)}>
      <Tabs.List
        activateOnFocus
        aria-label={words.ways}
        className={`${stripLook.strip} flex gap-1 border-b border-line [--strip:var(--color-panel)]`}
      >
        {ways.map((one) => (
          <Tabs.Tab
            key={one}
            value={one}
            className="min-h-[38px] flex-none border-b-3 border-transparent px-3 font-medium text-muted hover:text-ink focus-visible:-outline-offset-3 aria-selected:border-accent aria-selected:text-ink max-md:min-h-11"
          >
            {words.way[one]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={way} tabIndex={-1} className="flex flex-col gap-3 pt-3">
        {!linked && way !== 'none' && isLoopback(location.hostname) && (
          <Notice tone="warn">{words.loopback(location.hostname)}</Notice>
        )}
        <Steps code={code} way={way} linked={linked} />
      </Tabs.Panel>
    </Tabs.Root>
  )
}

function Steps({ code, way, linked }: { code: string; way: LinkWay; linked: boolean }) {
  const [url, setUrl] = useState('http://192.168.1.20:8080')
  const [username, setUsername] = useState('sms')
  const { install, agent } = agentCommands[way]
  const link = linkCommand(code, location.origin, way, { url, username })
  const run = <CopyRow label={words.run} value={`${agent} run`} copyLabel={words.copyRun} />
  if (linked) return run
  return (
    <ol className="flex list-decimal flex-col gap-3 pl-5 marker:font-semibold">
      <Step>
        <CopyRow
          label={words.install[way]}
          value={install}
          copyLabel={words.copyInstall}
          hint={words.installHint[way]}
        />
      </Step>
      {way === 'phone' && (
        <Step>
          <p className="mb-2 text-sm font-semibold text-muted">{words.app}</p>
          <div className="grid grid-cols-[2fr_1fr] gap-2">
            <Field label={words.appUrl}>
              {(ids) => <TextInput {...ids} value={url} onChange={(event) => setUrl(event.target.value)} />}
            </Field>
            <Field label={words.appUser}>
              {(ids) => (
                <TextInput {...ids} value={username} onChange={(event) => setUsername(event.target.value)} />
              )}
            </Field>
          </div>
        </Step>
      )}
      <Step>
        <CopyRow label={words.command[way]} value={link} copyLabel={words.copyCommand} />
      </Step>
      <Step>{run}</Step>
    </ol>
  )
}

function Step({ children }: { children: ReactNode }) {
  return <li className="pl-1">{children}</li>
}
