@rem The npm scripts say `exec "${SDD_NODE:-node}" …`: on Unix a signal to npm then reaches Node and not a shell around it.
@rem Windows has neither that word nor that way to name a program: here runs what follows it, by SDD_NODE or by node.
@if defined SDD_NODE (for /f "tokens=1*" %%a in ("%*") do @"%SDD_NODE%" %%b) else (for /f "tokens=1*" %%a in ("%*") do @node %%b)
