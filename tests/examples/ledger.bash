arguments=(--database :memory:)
source "$(dirname "$0")/serve.bash"

expect 201 '{"id":1,"owner":"Ann","balance":100}' /accounts --json '{"owner":"Ann","balance":100}'
expect_field 'location: /accounts/1'
expect 201 '{"id":2,"owner":"Bob","balance":0}' /accounts --json '{"owner":"Bob"}'
expect_status 422 /accounts --json '{"owner":"Eve","balance":-1}'

send() { expect_like "$1" "$2" /transfers --header "Idempotency-Key: $3" --json "$4"; }
send 201 '"id":1,"key":"a","from":1,"to":2,"amount":30' a '{"from":1,"to":2,"amount":30}'
# Again: the same transfer, made once.
send 201 '"id":1,"key":"a","from":1,"to":2,"amount":30' a '{"from":1,"to":2,"amount":30}'
expect 200 '{"id":1,"owner":"Ann","balance":70}' /accounts/1
send 422 'the key is of another transfer' a '{"from":1,"to":2,"amount":31}'
send 201 '"id":2' b '{"from":2,"to":1,"amount":5}'
# What is refused has no effect, and may be sent again.
send 409 'the balance is too low' c '{"from":1,"to":2,"amount":1000}'
send 422 'there is no account 9' d '{"from":1,"to":9,"amount":1}'
send 422 'two accounts are needed' e '{"from":1,"to":1,"amount":1}'
send 422 '/amount' f '{"from":1,"to":2,"amount":0}'
expect_status 400 /transfers --json '{"from":1,"to":2,"amount":1}'
expect 200 '{"id":1,"owner":"Ann","balance":75}' /accounts/1
expect 200 '{"id":2,"owner":"Bob","balance":25}' /accounts/2
expect_status 404 /accounts/3

expect 200 '{"items":[{"id":1,"owner":"Ann","balance":75}],"next":1}' '/accounts?limit=1'
expect 200 '{"items":[{"id":2,"owner":"Bob","balance":25}],"next":null}' '/accounts?limit=1&after=1'
expect_like 200 '"key":"b"' '/transfers?after=1&limit=1&account=1'
expect_like 200 '"next":null' '/transfers?after=1&limit=1&account=1'
expect 200 '{"items":[],"next":null}' '/transfers?account=7'
expect_status 422 '/transfers?limit=501'

finish
