# Sourced by the tests of the examples, which are called with the path of a built program: starts it on a free port,
# asks it questions with curl, and at the end sees that it stops cleanly. `arguments` may have more of the program's.
set -euo pipefail

program=$1
[[ -v arguments ]] || arguments=()
scratch=$(mktemp -d)
failures=0
: >"$scratch/err"

"$program" --port 0 --threads 2 "${arguments[@]}" >"$scratch/out" 2>"$scratch/err" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$scratch"' EXIT

for _ in $(seq 600); do
  address=$(sed -n 's/.*serving \(127\.0\.0\.1:[0-9]*\).*/\1/p' "$scratch/err")
  [[ -n $address ]] && break
  kill -0 "$server" 2>/dev/null || break
  sleep 0.05
done
if [[ -z $address ]]; then
  echo "the program does not serve; it said:" >&2
  cat "$scratch/out" "$scratch/err" >&2
  exit 1
fi

fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# ask PATH [curl's arguments …]: sets status, type and body (without the line ends at its end), and fields.
ask() {
  local path=$1
  shift
  local facts
  facts=$(curl --silent --show-error --max-time 60 --globoff --path-as-is --dump-header "$scratch/fields" \
    --output "$scratch/body" --write-out '%{http_code} %{content_type}' "$@" "http://$address$path")
  status=${facts%% *}
  type=${facts#* }
  body=
  [[ ! -e $scratch/body ]] || body=$(<"$scratch/body")
  fields=$(<"$scratch/fields")
  rm -f "$scratch/body"
}

# expect STATUS BODY PATH [curl's arguments …]
expect() {
  local wanted_status=$1 wanted_body=$2
  shift 2
  ask "$@"
  [[ $status == "$wanted_status" ]] || fail "$*: status $status instead of $wanted_status: $body"
  [[ $body == "$wanted_body" ]] || fail "$*: answered <$body> instead of <$wanted_body>"
}

# expect_status STATUS PATH [curl's arguments …]
expect_status() {
  local wanted_status=$1
  shift
  ask "$@"
  [[ $status == "$wanted_status" ]] || fail "$*: status $status instead of $wanted_status: $body"
}

# expect_like STATUS PART PATH [curl's arguments …]: the answer contains this part.
expect_like() {
  local wanted_part=$2
  expect_status "$1" "${@:3}"
  [[ $body == *"$wanted_part"* ]] || fail "${*:3}: <$wanted_part> is not in <$body>"
}

expect_type() {
  [[ $type == "$1" ]] || fail "the content type is '$type' instead of '$1'"
}

expect_field() {
  grep --quiet --ignore-case --fixed-strings "$1" <<<"$fields" || fail "no field '$1' in: $fields"
}

# The end of every test: the program stops with status 0 on SIGTERM.
finish() {
  kill -TERM "$server"
  local ended=0
  wait "$server" || ended=$?
  [[ $ended == 0 ]] || fail "the program ended with status $ended: $(<"$scratch/err")"
  [[ $failures == 0 ]] || exit 1
  echo "all answers are as they should be"
}
