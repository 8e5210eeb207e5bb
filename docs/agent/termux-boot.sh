#!/data/data/com.termux/files/usr/bin/sh
# Starts the agent when the phone starts: see docs/agent.md. Copy to ~/.termux/boot/sdd-agent (the app Termux:Boot runs
# the files there), and make it executable: chmod +x ~/.termux/boot/sdd-agent
folder="$HOME/.sms-drone-dash"
log="$folder/agent.log"
mkdir -p "$folder"

# Otherwise Android puts the phone, and the agent, to sleep.
termux-wake-lock

while :; do
  # Keeps one log of up to a megabyte, and the previous one.
  if [ -f "$log" ] && [ "$(wc -c < "$log")" -gt 1000000 ]; then mv "$log" "$log.1"; fi
  node "$HOME/agent.mjs" run >> "$log" 2>&1
  sleep 5
done
