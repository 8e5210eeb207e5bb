import { useEffect } from 'react'
import { useLanguage } from '#console/core/language.ts'
import { text } from '#console/core/text.ts'

/**
 * Names the document after the screen, with the number of new rows if there are any. The usual wording names it after
 * the product only.
 */
export function useTitle(title: string, fresh = 0): void {
  const language = useLanguage()
  const shown = language ? `${fresh > 0 ? `(${fresh}) ` : ''}${title} · ${text.product}` : text.product
  useEffect(() => {
    document.title = shown
    return () => {
      document.title = text.product
    }
  }, [shown])
}
