const BARS = 160
const PITCH = 9

/** A fleet at rest along the bottom of the login: the same image each time, drawn as two paths. */
export function Skyline() {
  return (
    <svg
      viewBox={`0 0 ${BARS * PITCH} 64`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="absolute inset-x-0 bottom-0 h-16 w-full max-md:w-[240%]"
    >
      <path d={bars.standing} className="fill-rail-active" />
      <path d={bars.fallen} className="fill-[#f0564a]" />
    </svg>
  )
}

const bars = draw()

function draw(): { standing: string; fallen: string } {
  let seed = 20_261
  let standing = ''
  let fallen = ''
  for (let n = 0; n < BARS; n++) {
    seed = (seed * 16_807) % 2_147_483_647
    const height = seed % 53 === 0 ? 14 : 24 + (seed % 41)
    const bar = `M${n * PITCH} ${64 - height}h6v${height}h-6z`
    if (height === 14) fallen += bar
    else standing += bar
  }
  return { standing, fallen }
}
