#!/data/data/com.termux/files/usr/bin/sh
# Starts the agent when the phone starts: see docs/agent.md. Copy to ~/.termux/boot/sdd-agent (the app Termux:Boot runs
# the files there), and make it executable: chmod +x ~/.termux/boot/sdd-agent
folder="$HOME/.sms-drone-dash"
log="$folder/agent.log"
mkdir -p "$folder"

# Otherwise Android puts the phone, and the agent, to sleep.
termux-wake-lock

# Keeps one log of up to a megabyte, and the previous one.
keep_log() {
  size=0
  if [ -f "$log" ]; then size=$(wc -c < "$log"); fi
  while IFS= read -r line; do
    size=$((size + ${#line} + 1))
    if [ "$size" -gt 1000000 ]; then
      mv "$log" "$log.1"
      size=$((${#line} + 1))
    fi
    printf '%s\n' "$line" >> "$log"
  done
}

while :; do
  node "$HOME/agent.mjs" run 2>&1 | keep_log
  sleep 5
done
