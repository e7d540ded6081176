# The command tern as a user calls it: texts, exit statuses, a project, a served folder, the routes of a program.
#   command_line.bash TERN PROGRAM
# PROGRAM serves /openapi.json.
set -euo pipefail
tern=$(realpath "$1")
program=$(realpath "$2")
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"

fail() { echo "FAILED: $*" >&2; exit 1; }
# expect STATUS PATTERN ARGUMENTS…: the output of both streams has the pattern
expect() {
  local wanted=$1 pattern=$2 status=0
  shift 2
  "$tern" "$@" >output 2>&1 || status=$?
  [ $status = "$wanted" ] || fail "tern $*: status $status instead of $wanted: $(cat output)"
  grep -qE -- "$pattern" output || fail "tern $*: no '$pattern' in: $(cat output)"
}

expect 0 '^tern [0-9]+\.[0-9]+\.[0-9]+$' --version
expect 0 'new .*Write a new project' --help
expect 0 'websocket  a chat' new --help
expect 2 'subcommand is required'
expect 2 'name is required' new
expect 2 'lower-case letters, digits and hyphens only' new 'my shop'
expect 2 'not in \{minimal,rest,web,websocket\}' new shop --template php
expect 0 '^  cd shop$' new shop --template web
grep -qx 'project(shop VERSION 0.1.0 LANGUAGES CXX)' shop/CMakeLists.txt || fail "the project has another name"
[ -f shop/templates/home.mustache ] || fail "the web project has no templates"
[ -f shop/.github/workflows/ci.yml ] || fail "hidden files are missing"
expect 1 'tern: shop exists, and is not an empty folder' new shop
if grep -q $'\033' output; then fail "there are colours in a file"; fi

expect 2 'PROGRAM is required' routes
expect 1 'cannot run ./nothing' routes ./nothing
expect 1 'true does not print its routes' routes true
expect 0 '^GET +/books/\{id\} +book$' routes "$program"
expect 0 '^POST +/books$' routes "$program"
expect 0 '^GET +/ +host admin\.example$' routes "$program"
expect 1 'false ends before it answers' openapi false
expect 1 'answers /nowhere with 404' openapi --path /nowhere "$program"
expect 0 '"title": ?"Shelves"' openapi "$program" Shelves
python3 -c 'import json; json.load(open("output"))' || fail "tern openapi prints no JSON"

expect 2 'Directory does not exist' serve nowhere
expect 2 'requires --certificate' serve shop --key "$tern"
"$tern" serve shop --port 0 --threads 1 >out 2>err &
server=$!
for _ in $(seq 600); do
  address=$(sed -n 's/.*serving \(127\.0\.0\.1:[0-9]*\).*/\1/p' err)
  [ -z "$address" ] || break
  kill -0 $server 2>/dev/null || fail "tern serve has ended: $(cat out err)"
  sleep 0.05
done
[ -n "$address" ] || fail "tern serve does not serve: $(cat out err)"
[ "$(curl -fsS "http://$address/src/app.hpp")" = "$(cat shop/src/app.hpp)" ] || fail "a file is not served"
curl -fsS "http://$address/" | grep -q 'CMakeLists.txt' || fail "the folder is not listed"
[ "$(curl -s -o listing -w '%{http_code}' "http://$address/.gitignore")" = 404 ] || fail "a hidden file is served"
kill -INT $server
wait $server || fail "tern serve ends with $? after SIGINT"
server=
echo "the command tern: as expected"
