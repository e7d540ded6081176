source "$(dirname "$0")/serve.bash"

expect 200 'Hello, Ada!' /hello/Ada
expect 200 0 /counter
expect 200 1 /counter --request POST
expect 200 2 /counter --request POST
expect 200 2 /counter
expect 204 '' /counter --request DELETE
expect 200 0 /counter
expect_status 405 /counter --request PATCH

# Every request is logged, by an object that was made for it.
[[ $(grep --count ', step 1 of this object' "$scratch/err") == 7 ]] || fail "the log: $(<"$scratch/err")"
! grep --quiet 'step 2' "$scratch/err" || fail "an object served two requests: $(<"$scratch/err")"
grep --quiet '^GET /hello/Ada: saying hello' "$scratch/err" || fail "the log: $(<"$scratch/err")"

finish
