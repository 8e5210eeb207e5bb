import type { Language } from '#console/core/language.ts'
import { answerOffer } from '#console/core/language-choice.ts'
import { Button } from '#console/ui/button.tsx'

/** In the offered language, whatever the screen's language is. */
const offers: Record<Language, { ask: string; yes: string; no: string }> = {
  es: { ask: '¿Ver en español?', yes: 'Sí', no: 'No' },
  en: { ask: 'View in English?', yes: 'Yes', no: 'No' },
}

/** Offers the browser's language, until this is answered once. */
export default function LanguageOffer({ offered, onAnswer }: { offered: Language; onAnswer: () => void }) {
  const { ask, yes, no } = offers[offered]

  function answer(language: Language | null): void {
    onAnswer()
    void answerOffer(language)
  }

  return (
    <section
      lang={offered}
      aria-label={ask}
      className="flex items-center gap-2 border-t border-line pt-3 text-sm text-muted"
    >
      <span className="flex-1">{ask}</span>
      <Button size="sm" onClick={() => answer(offered)}>
        {yes}
      </Button>
      <Button size="sm" tone="ghost" onClick={() => answer(null)}>
        {no}
      </Button>
    </section>
  )
}
