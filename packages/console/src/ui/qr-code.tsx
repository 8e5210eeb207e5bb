import { correction, generate } from 'lean-qr/nano'
import { useMemo } from 'react'

/** The quiet zone that the standard (ISO/IEC 18004) requires, in modules. */
const QUIET = 4

/** A text as a QR code, dark on light in both themes, as cameras need it. */
export default function QrCode({ content, label }: { content: string; label: string }) {
  const { size, path } = useMemo(() => draw(content), [content])
  const side = size + 2 * QUIET
  return (
    <svg
      {...{ role: 'img', 'aria-label': label }}
      viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`}
      shapeRendering="crispEdges"
      className="block size-full rounded-sm"
    >
      <rect x={-QUIET} y={-QUIET} width={side} height={side} fill="#ffffff" />
      <path d={path} fill="#14171a" />
    </svg>
  )
}

/** One bar per run of dark modules in a line. */
function draw(content: string): { size: number; path: string } {
  const code = generate(content, { minCorrectionLevel: correction.L })
  let path = ''
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) {
      if (!code.get(x, y)) continue
      const from = x
      while (code.get(x + 1, y)) x++
      path += `M${from} ${y}h${x + 1 - from}v1h${from - x - 1}z`
    }
  }
  return { size: code.size, path }
}
