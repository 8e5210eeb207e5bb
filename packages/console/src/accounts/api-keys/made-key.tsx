import type { CreatedApiKey, RotatedApiKey } from '@sdd/contract/accounts/api-keys.ts'
import type { ExampleLine } from './calls.ts'
import { apiKeys as words } from './text.ts'
import { CopyRow } from '#console/ui/copy-row.tsx'
import { ShownOnce } from '#console/ui/shown-once.tsx'
import { dayTime } from '#console/ui/time.ts'

/** Shows a key and its secret, with a line to try it. The secret is never shown again. */
export function MadeKey({
  made,
  exampleLine,
  onClose,
}: {
  made: CreatedApiKey | RotatedApiKey
  exampleLine: ExampleLine
  onClose: () => void
}) {
  return (
    <ShownOnce title={words.made(made.name)} onClose={onClose}>
      {(copied) => (
        <>
          {'previous_until' in made && (
            <p>
              {made.previous_until === null
                ? words.previousDead
                : words.previousGoesOn(dayTime(made.previous_until))}
            </p>
          )}
          <CopyRow label={words.key} value={made.key} copyLabel={words.copyKey} onCopied={copied} />
          <CopyRow
            label={words.secret}
            value={made.webhook_secret}
            copyLabel={words.copySecret}
            hint={words.secretHint}
          />
          {made.smpp && (
            <>
              <CopyRow
                label={words.systemId}
                value={made.smpp.system_id}
                copyLabel={words.copySystemId}
                hint={words.systemIdHint}
              />
              <CopyRow label={words.smppPassword} value={made.smpp.password} copyLabel={words.copyPassword} />
            </>
          )}
          <CopyRow
            label={words.example}
            value={exampleLine(made)}
            copyLabel={words.copyExample}
            onCopied={copied}
          />
        </>
      )}
    </ShownOnce>
  )
}
