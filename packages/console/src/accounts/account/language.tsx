import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { chooseLanguage } from './account.ts'
import { faultText } from '#console/core/api.ts'
import { LANGUAGES, currentLanguage, type Language } from '#console/core/language.ts'
import { useGoneLook } from '#console/core/server-gone.ts'
import { account as words } from './text.ts'
import { Box } from '#console/ui/box.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { toast } from '#console/ui/toast.tsx'

/** Each language in its own words. */
const names: Record<Language, string> = { es: 'Español', en: 'English' }

/** The language of the user's console. A choice is stored and shown at once. */
export function LanguagePanel() {
  const name = useId()
  const gone = useGoneLook()
  const choice = useMutation({
    mutationFn: chooseLanguage,
    onSuccess: () => toast({ text: words.languageKept }),
  })
  const shown = choice.isPending ? choice.variables : (currentLanguage() ?? null)
  return (
    <Box title={words.language}>
      {choice.error && (
        <Notice tone="bad" className="mb-2">
          {faultText(choice.error, words.languageFailed)}
        </Notice>
      )}
      <div role="radiogroup" aria-label={words.language} className="flex flex-col">
        {[null, ...LANGUAGES].map((language) => (
          <label
            key={language}
            title={gone?.title}
            className="flex min-h-9 items-center gap-2.5 max-md:min-h-11"
          >
            <input
              type="radio"
              name={name}
              className="size-[18px] shrink-0"
              checked={shown === language}
              disabled={gone?.disabled}
              onChange={() => choice.mutate(language)}
            />
            <span lang={language ?? undefined}>{language ? names[language] : words.usual}</span>
          </label>
        ))}
      </div>
    </Box>
  )
}
