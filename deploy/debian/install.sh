#!/bin/sh
# Installs the server or the agent of a release, on Debian 13 or a system like it, after checking its SHA-256:
#   sudo sh install.sh server [FOLDER-OR-ADDRESS]
#   sudo sh install.sh agent [FOLDER-OR-ADDRESS]
# The release is where this file is, unless another folder or an https:// address is named. Running it again installs
# what is there then: an upgrade keeps data and settings.
set -eu

fail() {
  echo "$1" >&2
  exit 1
}

case "${1-}" in
  server) name=sms-drone-dash ;;
  agent) name=sdd-agent ;;
  *) fail "usage: sh install.sh server|agent [FOLDER-OR-ADDRESS]" ;;
esac
[ "$(id -u)" = 0 ] || fail "Run it as root: sudo sh install.sh $1"
command -v dpkg >/dev/null || fail "This system has no dpkg: use the image, or a clone (docs/deploying.md)."
processor=$(dpkg --print-architecture)
from=${2-$(dirname "$0")}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The user _apt reads the package.
chmod 755 "$folder"
get() {
  case "$from" in
    https://*) curl --fail --silent --show-error --location --output "$folder/$1" "$from/$1" ;;
    *://*) fail "Only an https:// address is safe: $from" ;;
    *) cp "$from/$1" "$folder/$1" ;;
  esac
}

get SHA256SUMS
file=$(sed -n "s/^[0-9a-f]\{64\}  \(${name}_[0-9][^ /]*_$processor\.deb\)\$/\1/p" "$folder/SHA256SUMS")
[ -n "$file" ] || fail "This release has no $name for $processor."
get "$file"
(cd "$folder" && grep " $file\$" SHA256SUMS | sha256sum --check --quiet) || fail "$file is damaged: fetch it again."
# Settings that an operator changed stay as they are, without a question.
DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends \
  -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$folder/$file"
