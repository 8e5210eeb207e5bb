import axe, { type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/** Without `preload`, axe does not load the style sheets again: no rule with these tags reads them. */
const ALL: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  preload: false,
}

const only = (...values: string[]): RunOptions => ({ ...ALL, runOnly: { type: 'rule', values } })

const OPTIONS = {
  all: ALL,
  /** Depend on the theme, and on no other rule. */
  colours: only('color-contrast', 'link-in-text-block'),
  /** Depend on the size even if the elements stay the same. */
  layout: only('scrollable-region-focusable', 'target-size'),
}

type Looks = Set<string>

/**
 * The axe findings on the current page: each rule with the element that breaks it. The console has no frames.
 *
 * Contrast takes most of axe's time, and the rows of a table are alike. With `known`, it is checked for one of several
 * texts with the same look, and for none whose look is known from a page of the same theme. Adds the looks of this page.
 */
export async function axeFindings(
  page: Page,
  { about = 'all', known }: { about?: keyof typeof OPTIONS; known?: Looks } = {},
): Promise<string[]> {
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe.source)
  const looks = known && (await page.evaluate(markNewLooks, [...known]))
  for (const look of looks ?? []) known?.add(look)
  if (about === 'colours' && looks?.length === 0) return []
  const narrowed = looks ? [{ id: 'color-contrast', selector: '[data-look]' }] : []
  const { violations } = await page.evaluate(
    ([options, rules]) => {
      const loaded = (window as unknown as { axe: typeof axe }).axe
      loaded.configure({ rules })
      return loaded.run(document, options)
    },
    [OPTIONS[about], narrowed] as const,
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}

/** Runs in the page. Marks one element of each look that is not known, and returns these looks. */
function markNewLooks(known: string[]): string[] {
  const seen = new Set(known)
  const fresh: string[] = []
  const behind = new Map<Element, string>()
  for (const marked of document.querySelectorAll('[data-look]')) marked.removeAttribute('data-look')
  for (const element of document.body.querySelectorAll('*')) {
    if (!hasText(element) || !element.checkVisibility()) continue
    const { color, fontSize, fontWeight, textDecorationLine, textShadow } = getComputedStyle(element)
    const own = [
      element.tagName,
      element.className,
      color,
      fontSize,
      fontWeight,
      textDecorationLine,
      textShadow,
    ]
    // A link must differ from the text around it.
    if (element.matches('a')) own.push(getComputedStyle(element.parentElement!).color)
    const look = `${own.join(' ')} ${ground(element)}`
    if (seen.has(look)) continue
    seen.add(look)
    fresh.push(look)
    element.setAttribute('data-look', '')
  }
  return fresh

  function hasText(element: Element): boolean {
    if (element.matches('input, textarea, select')) return true
    return [...element.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent?.trim())
  }

  /** The layers behind a text, up to the page: colours, and elements that may lie over others. */
  function ground(element: Element | null): string {
    if (element === null) return ''
    const known = behind.get(element)
    if (known !== undefined) return known
    const { backgroundColor, backgroundImage, filter, opacity, position } = getComputedStyle(element)
    const lies = position === 'absolute' || position === 'fixed' ? `${position} ${element.className}` : ''
    const layer = [backgroundColor, backgroundImage, filter, opacity, lies].join(' ')
    const all = `${layer}/${ground(element.parentElement)}`
    behind.set(element, all)
    return all
  }
}
