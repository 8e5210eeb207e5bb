import { KeywordAction, KeywordChange, type Keyword } from '@sdd/contract/messages/keywords.ts'
import { MAX_SEGMENTS } from '@sdd/contract/messages/messages.ts'
import { measureText } from '@sdd/sms/segments.ts'
import { useState } from 'react'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { useForm } from '#console/core/form.ts'
import { TextCounter } from '#console/messages/messages/text-counter.tsx'
import { putKeyword } from './calls.ts'
import { keywords as words } from './text.ts'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { toast } from '#console/ui/toast.tsx'

export function KeywordForm({
  keyword,
  onClose,
  onChanged,
}: {
  /** Undefined for a new one. */
  keyword: Keyword | undefined
  onClose: () => void
  onChanged: () => void
}) {
  const [word, setWord] = useState(keyword?.word ?? '')
  const [action, setAction] = useState<KeywordAction>(keyword?.action ?? 'answer')
  const [answer, setAnswer] = useState(keyword?.answer ?? '')
  const [company, setCompany] = useState<number>()
  const form = useForm({
    save: (sent: KeywordChange) => putKeyword(sent, company),
    failed: words.saveFailed,
    onSaved(saved) {
      toast({ text: words.saved(saved.word) })
      onChanged()
    },
  })
  const answers = answer.trim() !== ''

  function submit(): void {
    const refused = form.refuses({
      word: KeywordChange.shape.word.safeParse(word).success ? undefined : words.wordWrong,
      answer:
        action === 'answer' && !answers
          ? words.answerNeeded
          : measureText(answer).segments > MAX_SEGMENTS
            ? words.answerTooLong(MAX_SEGMENTS)
            : undefined,
    })
    if (refused) return
    form.send({ ...(keyword && { id: keyword.id }), word, action, answer: answers ? answer : null })
  }

  return (
    <FormModal
      title={keyword?.word ?? words.add}
      form={form}
      action={words.save}
      onSubmit={submit}
      onClose={onClose}
    >
      {!keyword && <CompanyField value={company} onChange={setCompany} />}
      <Field label={words.word} hint={words.wordHint} error={form.fields.word}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            autoComplete="off"
            spellCheck={false}
            value={word}
            onChange={({ target }) => setWord(target.value)}
          />
        )}
      </Field>
      <Field label={words.action}>
        {(ids) => (
          <Select
            {...ids}
            tall
            value={action}
            onChange={({ target }) => setAction(KeywordAction.parse(target.value))}
          >
            {(['answer', 'stop', 'start'] as const).map((one) => (
              <option key={one} value={one}>
                {words.does[one]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label={words.answer}
        hint={action === 'answer' ? words.answerHint : `${words.optional} ${words.answerHint}`}
        error={form.fields.answer}
      >
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            dir="auto"
            value={answer}
            onChange={({ target }) => setAnswer(target.value)}
            className="resize-y rounded-sm border border-line-strong bg-panel px-2.5 py-2 text-lg focus-visible:outline-offset-1 aria-invalid:border-bad-solid"
          />
        )}
      </Field>
      <TextCounter text={answer} />
    </FormModal>
  )
}
