#!/data/data/com.termux/files/usr/bin/sh
# Starts the agent when the phone does: see docs/agent.md. Copy to ~/.termux/boot/sdd-agent (the app Termux:Boot runs
# what is there), and make it executable: chmod +x ~/.termux/boot/sdd-agent
folder="$HOME/.sms-drone-dash"
log="$folder/agent.log"
mkdir -p "$folder"

# Else Android puts the phone, and the agent, to sleep.
termux-wake-lock

while :; do
  # One log of a megabyte, and the one before it.
  if [ -f "$log" ] && [ "$(wc -c < "$log")" -gt 1000000 ]; then mv "$log" "$log.1"; fi
  node "$HOME/agent.mjs" run >> "$log" 2>&1
  sleep 5
done
