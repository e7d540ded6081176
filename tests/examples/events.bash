source "$(dirname "$0")/serve.bash"

# The first two events, as lines; curl is stopped by the closed pipe.
first_events() {
  { curl --silent --no-buffer --max-time 10 "$@" "http://$address/events" || true; } | head -n 6 | tr '\n' '|'
}
said=$(first_events)
[[ $said == 'id: 1|data: 1||id: 2|data: 2||' ]] || fail "the events begin with <$said>"
said=$(first_events --header 'Last-Event-ID: 41')
[[ $said == 'id: 42|data: 42||id: 43|data: 43||' ]] || fail "after 41 the events begin with <$said>"
said=$(first_events --header 'Last-Event-ID: 2147483647')
[[ $said == 'id: 2147483648|data: 2147483648||id: 2147483649|data: 2147483649||' ]] || fail "after 2^31-1 the events begin with <$said>"
expect_status 400 /events --header 'Last-Event-ID: x'
expect_like 200 EventSource /

# What is posted reaches the stream.
curl --silent --no-buffer --max-time 20 "http://$address/news" >"$scratch/news" &
until grep -q 'Here is the news' "$scratch/news"; do kill -0 "$server"; done
expect_status 204 /news --json '{"text": "Terns have arrived."}'
until grep -q '^data: Terns have arrived.$' "$scratch/news"; do kill -0 "$server"; done
expect_status 422 /news --json '{}'

# A stream that is open does not keep the program from ending.
curl --silent --output /dev/null --max-time 20 "http://$address/events" &
finish
