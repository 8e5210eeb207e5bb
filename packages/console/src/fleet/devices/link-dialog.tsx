import type { LinkCode } from '@sdd/contract/fleet/devices.ts'
import { useState } from 'react'
import { useForm } from '#console/core/form.ts'
import { text } from '#console/core/text.ts'
import { linking as words } from './linking-text.ts'
import { LinkCodeList } from './link-code-list.tsx'
import { LinkInvitation, type Invitation } from './link-invitation.tsx'
import { makeLinkCode } from './linking.ts'
import { RevokeCode } from './revoke-code.tsx'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { FormButtons } from '#console/ui/form-parts.tsx'
import { Form } from '#console/ui/form.tsx'
import { wholeNumber } from '#console/ui/typed-number.ts'

const MOST_USES = 10_000
const DEFAULT_SECS = '600'

type View = 'new' | 'codes'

/** Makes a link code and shows it until the devices have joined; or lists the valid codes. */
export default function LinkDialog({
  view,
  onView,
  onTest,
  onClose,
}: {
  view: View
  onView: (view: View) => void
  /** Opens the form that sends an SMS with this device. */
  onTest: (uid: string) => void
  onClose: () => void
}) {
  const [invitation, setInvitation] = useState<Invitation>()
  const [revoking, setRevoking] = useState<LinkCode>()
  if (revoking) return <RevokeCode code={revoking} onClose={() => setRevoking(undefined)} />
  if (view === 'codes') {
    return (
      <Modal title={words.codes} onClose={onClose}>
        <LinkCodeList onRevoke={setRevoking} />
        <div className="flex flex-wrap justify-end gap-2 pt-4">
          <Button size="lg" onClick={() => onView('new')}>
            {words.create}
          </Button>
          <Button tone="primary" size="lg" onClick={onClose}>
            {text.close}
          </Button>
        </div>
      </Modal>
    )
  }
  return (
    <Modal title={words.title} onClose={onClose} wide={invitation !== undefined}>
      {invitation ? (
        <LinkInvitation
          key={invitation.code}
          invitation={invitation}
          onAnother={() => setInvitation(undefined)}
          onTest={onTest}
          onClose={onClose}
        />
      ) : (
        <CodeForm onMade={setInvitation} onCodes={() => onView('codes')} onCancel={onClose} />
      )}
    </Modal>
  )
}

function CodeForm({
  onMade,
  onCodes,
  onCancel,
}: {
  onMade: (made: Invitation) => void
  onCodes: () => void
  onCancel: () => void
}) {
  const [uses, setUses] = useState('1')
  const [secs, setSecs] = useState(DEFAULT_SECS)
  const form = useForm({
    save: (wanted: number) => invite(wanted, Number(secs)),
    failed: words.createFailed,
    onSaved: onMade,
  })

  function submit(): void {
    const wanted = wholeNumber(uses, 1, MOST_USES)
    if (!form.refuses({ uses: wanted === undefined ? words.usesRange : undefined })) form.send(wanted!)
  }

  return (
    <Form
      form={form}
      intro={
        <>
          <p className="text-muted">{words.intro}</p>
          <Button tone="ghost" size="sm" className="-ml-2 self-start underline" onClick={onCodes}>
            {words.codes}
          </Button>
        </>
      }
      onSubmit={submit}
    >
      <Field label={words.uses} hint={words.usesHint} error={form.fields.uses}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            type="number"
            inputMode="numeric"
            min={1}
            max={MOST_USES}
            step={1}
            value={uses}
            onChange={(event) => setUses(event.target.value)}
          />
        )}
      </Field>
      <Field label={words.validity}>
        {(ids) => (
          <Select {...ids} tall value={secs} onChange={(event) => setSecs(event.target.value)}>
            {Object.entries(words.validities).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <FormButtons form={form} action={words.create}>
        <Button size="lg" onClick={onCancel}>
          {text.cancel}
        </Button>
      </FormButtons>
    </Form>
  )
}

async function invite(uses: number, secs: number): Promise<Invitation> {
  const made = await makeLinkCode(uses, secs)
  const madeAt = new Date(Date.parse(made.expires_at) - secs * 1000).toISOString()
  return { ...made, madeAt, endsAt: Date.now() + secs * 1000 }
}
