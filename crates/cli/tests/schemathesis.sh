#!/usr/bin/env bash
# Requests made up from openapi.json against the real server: none may be answered with a server error.
#   schemathesis.sh PROGRAM FOLDER [EXAMPLES]   FOLDER is where schemathesis is installed to
set -euo pipefail
program=$1
venv=$2
examples=${3:-10}
here=$(cd "$(dirname "$0")" && pwd)

if ! [ -x "$venv/bin/schemathesis" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check schemathesis==4.32.5
fi

data=$(mktemp -d)
mkfifo "$data/first"
MAXTILE_DATA="$data/data" "$program" serve --port 0 --max-ms 200 >"$data/first" &
server=$!
trap 'kill -INT $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$data"' EXIT
read -r url <"$data/first"

# Streams of events have no end, so they are left to tests/serve; 503 is what a full queue answers.
cd "$data"
PYTHONPATH=$here SCHEMATHESIS_HOOKS=schemathesis_hooks "$venv/bin/schemathesis" run "${url}api/openapi.json" \
  --checks not_a_server_error --exclude-path '/api/runs/{name}/live' \
  --max-examples "$examples" --request-timeout 60 --no-color
