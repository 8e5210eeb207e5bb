// Required before the TypeScript of every npm script. Plain, old JavaScript, so that an older Node can still run it.
'use strict'

if (parseInt(process.versions.node, 10) < 26) {
  console.error(
    'SMS Drone Dash needs Node 26 and this is Node ' +
      process.versions.node +
      ': run `npm ci` without leaving out optional dependencies (they bring Node 26), or install Node 26 and name it in SDD_NODE, then try again.',
  )
  process.exit(1)
}
