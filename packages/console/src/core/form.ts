import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { useLanguage } from '#console/core/language.ts'
import { fieldErrors, faultText } from '#console/core/api.ts'

/** The errors of a form as a whole, and of each field by its name; `true` if `said` explains it. */
export type Faults = {
  headline?: string
  said?: string
  fields: Partial<Record<string, string | true>>
}

/** The state that `Form` in `ui` draws. */
export type FormState = Faults & {
  element: RefObject<HTMLFormElement | null>
  pending: boolean
  /** The last save succeeded, and nothing was edited since. */
  saved: boolean
}

type Spec<Input, Reply> = {
  save: (input: Input) => Promise<Reply>
  /** The message if the server gives no reason, or a function that turns the refusal into errors. */
  failed: string | ((fault: unknown) => Faults)
  onSaved?: (reply: Reply, input: Input) => unknown
}

/** The state of a form or confirmation. It saves once at a time, and an error focuses the first invalid field. */
export function useForm<Input = void, Reply = unknown>({ save, failed, onSaved }: Spec<Input, Reply>) {
  const element = useRef<HTMLFormElement>(null)
  const [found, setFound] = useState<Faults>()
  const language = useLanguage()
  const [foundIn, setFoundIn] = useState(language)
  if (foundIn !== language) {
    // Found errors are sentences of the other language; the next save finds them again.
    setFoundIn(language)
    setFound(undefined)
  }
  const { mutate, reset, isPending, isSuccess, error } = useMutation({ mutationFn: save, onSuccess: onSaved })
  const refused = error ? faultsOf(error, failed) : { fields: {} }
  const fault = found ?? error
  // In an effect, since fields are marked invalid only when they are drawn.
  useEffect(() => {
    if (fault) element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [fault])
  return {
    ...(found ?? refused),
    element,
    pending: isPending,
    saved: isSuccess && !found,
    /** Shows errors found before the save; returns whether there are any. */
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
    /** Clears the outcome of the last save, which concerned other values. */
    edited(): void {
      setFound(undefined)
      if (!isPending) reset()
    },
  }
}

/**
 * The fields that differ from those of when a form opened. The others are not sent, so they stay as a colleague may have
 * changed them meanwhile.
 */
export function changedFields<Fields extends object>(
  opened: { [Name in keyof Fields]?: unknown },
  now: Fields,
): Partial<Fields> {
  const isChanged = (name: string) =>
    JSON.stringify(now[name as keyof Fields]) !== JSON.stringify(opened[name as keyof Fields])
  return Object.fromEntries(Object.entries(now).filter(([name]) => isChanged(name))) as Partial<Fields>
}

export function isEmpty(change: object): boolean {
  return Object.keys(change).length === 0
}

function faultsOf(error: unknown, failed: Spec<never, never>['failed']): Faults {
  return typeof failed === 'string'
    ? { said: faultText(error, failed), fields: fieldErrors(error) }
    : failed(error)
}
