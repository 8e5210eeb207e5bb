import { messageClasses, type MessageClass } from '@sdd/contract/core/fields.ts'
import type { RouteOutcome, RouteRule } from '@sdd/contract/fleet/routes.ts'
import type { Ref } from 'react'
import { faultText } from '#console/core/api.ts'
import type { Device } from '#console/fleet/devices/devices.ts'
import type { Names } from './names.ts'
import { TrialAnswer, TrialDevices, TrialRules } from './trial-answer.tsx'
import { LONGEST_NUMBER } from './search.ts'
import { routes as words } from './text.ts'
import type { Typed } from './trial.ts'
import { Box } from '#console/ui/box.tsx'
import { Field, Select, TextInput } from '#console/ui/field.tsx'

/** What the rules would do with a message. It sends nothing. */
export default function Tester({
  field,
  number,
  typed,
  names,
  outcome,
  failed,
  rules,
  devices,
  onNumber,
  onType,
}: {
  field: Ref<HTMLInputElement>
  number: string
  typed: Typed
  names: Names
  outcome: RouteOutcome | undefined
  failed: unknown
  rules: readonly RouteRule[]
  devices: readonly Device[]
  onNumber: (number: string) => void
  onType: (typed: Typed) => void
}) {
  return (
    <Box title={words.trial} beside={words.trialHint}>
      <div className="grid grid-cols-2 gap-2.5 pb-3">
        <Field label={words.number}>
          {(ids) => (
            <TextInput
              {...ids}
              ref={field}
              type="tel"
              autoComplete="off"
              maxLength={LONGEST_NUMBER}
              value={number}
              onChange={({ target }) => onNumber(target.value)}
            />
          )}
        </Field>
        <Field label={words.source}>
          {(ids) => (
            <Select
              {...ids}
              value={typed.source}
              onChange={({ target }) => onType({ ...typed, source: target.value })}
            >
              <option value="">{words.noSource}</option>
              {names.keys.map(({ id, name }) => (
                <option key={`key:${id}`} value={`key:${id}`}>
                  {words.keyNamed(name)}
                </option>
              ))}
              {names.campaigns.map(({ id, name }) => (
                <option key={`campaign:${id}`} value={`campaign:${id}`}>
                  {words.campaignNamed(name)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={words.class}>
          {(ids) => (
            <Select
              {...ids}
              value={typed.class}
              onChange={({ target }) => onType({ ...typed, class: target.value as MessageClass })}
            >
              {messageClasses.map((one) => (
                <option key={one} value={one}>
                  {words.classes[one]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={words.from}>
          {(ids) => (
            <TextInput
              {...ids}
              type="tel"
              autoComplete="off"
              placeholder={words.anySim}
              value={typed.from}
              onChange={({ target }) => onType({ ...typed, from: target.value })}
            />
          )}
        </Field>
      </div>
      <TrialAnswer
        outcome={outcome}
        failed={failed ? faultText(failed, words.trialFailed) : undefined}
        rules={rules}
        devices={devices}
      />
      {outcome && (
        <>
          <TrialRules outcome={outcome} rules={rules} devices={devices} />
          <TrialDevices outcome={outcome} devices={devices} />
        </>
      )}
    </Box>
  )
}
