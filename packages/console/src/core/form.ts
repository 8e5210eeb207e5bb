import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { fieldsOf, whyOf } from '#console/core/api.ts'

/** What is wrong with a form as a whole, and with each field by its name; `true` if `said` says it. */
export type Faults = {
  headline?: string
  said?: string
  fields: Partial<Record<string, string | true>>
}

/** The state of a form that `Form` of `ui` draws. */
export type FormState = Faults & {
  element: RefObject<HTMLFormElement | null>
  pending: boolean
  /** The last save succeeded, and nothing was edited since. */
  saved: boolean
}

type Spec<Input, Reply> = {
  save: (input: Input) => Promise<Reply>
  /** What to say if the server does not say why it refused, or what to make of the refusal. */
  failed: string | ((fault: unknown) => Faults)
  onSaved?: (reply: Reply, input: Input) => unknown
}

/** A form, or a question, that saves once at a time. Errors take the focus to the first invalid field. */
export function useForm<Input = void, Reply = unknown>({ save, failed, onSaved }: Spec<Input, Reply>) {
  const element = useRef<HTMLFormElement>(null)
  const [found, setFound] = useState<Faults>()
  const { mutate, reset, isPending, isSuccess, error } = useMutation({ mutationFn: save, onSuccess: onSaved })
  const refused = error ? faultsOf(error, failed) : { fields: {} }
  const fault = found ?? error
  // An effect: the fields are marked invalid only once they are drawn.
  useEffect(() => {
    if (fault) element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [fault])
  return {
    ...(found ?? refused),
    element,
    pending: isPending,
    saved: isSuccess && !found,
    /** Shows what is wrong before the server is asked; whether anything is. */
    refuses(fields: Faults['fields'], said?: string): boolean {
      if (Object.values(fields).every((fault) => !fault)) return false
      reset()
      setFound({ fields, said })
      return true
    },
    send(input: Input): void {
      if (isPending) return
      setFound(undefined)
      mutate(input)
    },
    /** The outcome of the last save is about other values now. */
    edited(): void {
      setFound(undefined)
      if (!isPending) reset()
    },
  }
}

function faultsOf(error: unknown, failed: Spec<never, never>['failed']): Faults {
  return typeof failed === 'string' ? { said: whyOf(error, failed), fields: fieldsOf(error) } : failed(error)
}
