import { useNavigate, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore, useTransition } from 'react'
import { signIn } from './auth.ts'
import { readLogoutState, whenLogoutStateChanges } from './logout-state.ts'
import { login as words } from './text.ts'
import { offeredLanguage } from '#console/core/language-choice.ts'
import { withTexts } from '#console/core/language.ts'
import { text } from '#console/core/text.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { Form } from '#console/ui/form.tsx'
import { FrontPage } from '#console/ui/front-page.tsx'

/** Without a network there is no offer: the screen works without it. */
const LanguageOffer = lazy(() =>
  withTexts(() => import('./language-offer.tsx')).catch(() => ({ default: () => <></> })),
)

type Pair = { username: string; password: string }

export function LoginScreen() {
  const navigate = useNavigate()
  const expired = useRouterState({ select: (state) => state.location.state.expired === true })
  const [fault, setFault] = useState<{ said: () => string } | undefined>(
    expired ? { said: () => words.expired } : undefined,
  )
  // A plain transition, since a mutation would add the whole query client to the first screen.
  const [pending, start] = useTransition()
  const element = useRef<HTMLFormElement>(null)
  // The name and password that the server accepted, if it also asks for a code.
  const [pair, setPair] = useState<Pair>()
  const [tries, setTries] = useState(0)
  const [offered, setOffered] = useState(offeredLanguage)
  useEffect(() => {
    // Shown once: the browser keeps this entry's state, so a reload would show it again.
    if (expired) void navigate({ to: '/login', replace: true, state: { expired: false } })
  }, [expired, navigate])

  function submit(given: Record<string, string>): void {
    const credentials = { ...pair, ...given } as Pair
    start(async () => {
      const outcome = await signIn(credentials)
      setTries(tries + 1)
      setFault(typeof outcome === 'object' ? { said: outcome.refused } : undefined)
      if (outcome === 'in') void navigate({ to: '/devices' })
      else if (outcome === 'code') setPair(credentials)
      else if (outcome.pair) setPair(undefined)
    })
  }

  return (
    <FrontPage>
      <Form
        form={{ element, pending, saved: false, said: fault?.said(), fields: {} }}
        method="post"
        noValidate={false}
        onSubmit={submit}
      >
        {/* The key empties the code after each try. */}
        {pair ? <CodeStep key={tries} /> : <PairStep />}
        <Button type="submit" tone="primary" size="lg" className="mt-1" aria-disabled={pending}>
          {words.submit}
        </Button>
        {pair && (
          <Button
            tone="ghost"
            onClick={() => {
              setPair(undefined)
              setFault(undefined)
            }}
          >
            {words.back}
          </Button>
        )}
      </Form>
      <EndingLine />
      {offered && (
        <Suspense fallback={<OfferSpace />}>
          <LanguageOffer offered={offered} onAnswer={() => setOffered(undefined)} />
        </Suspense>
      )}
    </FrontPage>
  )
}

/** As high as the offer, so that nothing moves under the pointer when it is loaded. */
function OfferSpace() {
  return (
    <div className="invisible border-t pt-3">
      <Button size="sm">{text.none}</Button>
    </div>
  )
}

/** Shows that a logout is not confirmed by the server yet, and then that it is. */
function EndingLine() {
  const ending = useSyncExternalStore(whenLogoutStateChanges, readLogoutState)
  return <output className="block text-sm text-muted empty:sr-only">{words.ending[ending]}</output>
}

function PairStep() {
  const [shown, setShown] = useState(false)
  return (
    <>
      <Field label={words.username}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            name="username"
            placeholder={words.username}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- nothing else is on the screen
            autoFocus
          />
        )}
      </Field>
      <Field label={words.password}>
        {(ids) => (
          <span className="relative flex">
            <TextInput
              {...ids}
              tall
              className="flex-1 pr-24"
              name="password"
              type={shown ? 'text' : 'password'}
              placeholder={words.password}
              autoComplete="current-password"
              required
            />
            <button
              type="button"
              aria-label={words.showPassword}
              aria-pressed={shown}
              onClick={() => setShown(!shown)}
              className="absolute inset-y-0 right-0 px-3.5 text-sm font-semibold text-link"
            >
              {shown ? words.hide : words.show}
            </button>
          </span>
        )}
      </Field>
    </>
  )
}

function CodeStep() {
  return (
    <Field label={words.code} hint={words.codeHint}>
      {(ids) => (
        <TextInput
          {...ids}
          tall
          className="font-mono"
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={64}
          required
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person was just asked for it
          autoFocus
        />
      )}
    </Field>
  )
}
