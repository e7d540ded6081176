source "$(dirname "$0")/serve.bash"

pens='{"item":"pen","price":2.5,"quantity":4,"gift":true,"note":"für Ada"}'
receipt='{"item":"pen","quantity":4,"gift":true,"amounts":{"net":10,"tax":2.5,"total":12.5},'
receipt+='"discounts":[2.5,1.875,1.25],"remarks":["für Ada"]}'
dynamic='{"amounts":{"net":10,"tax":2.5,"total":12.5},"discounts":[2.5,1.875,1.25],"gift":true,"item":"pen",'
dynamic+='"quantity":4,"remarks":["für Ada"]}'

# With structs.
expect 200 "$receipt" /orders --json "$pens"
expect_type application/json
expect_like 200 '"quantity":1,"gift":false,' /orders --json '{"item":"pen","price":2}'
expect_like 200 '"remarks":["thank you"]' /orders --json '{"item":"pen","price":2}'
expect_like 422 '"pointer":"/item"' /orders --json '{"item":7,"quantity":0.5}'
expect_like 422 '"pointer":"/price"' /orders --json '{"item":7,"quantity":0.5}'
expect_like 422 '"pointer":"/quantity"' /orders --json '{"item":7,"quantity":0.5}'
expect_type application/problem+json
expect_status 400 /orders --json '{"item":'
expect_status 415 /orders --data 'item=pen'

# With nlohmann::json.
expect 200 "$dynamic" /dynamic/orders --json "$pens"
expect_type application/json
expect_like 200 '"remarks":["thank you"]' /dynamic/orders --json '{"item":"pen","price":2}'
expect_status 422 /dynamic/orders --json '{"price":2}'
expect_status 422 /dynamic/orders --json '[]'
expect_like 422 'type must be number' /dynamic/orders --json '{"item":"pen","price":2,"quantity":"four"}'
expect_status 400 /dynamic/orders --json '{"item":'
expect_like 422 "duplicate member" /dynamic/orders --json '{"item":1,"item":2,"price":1}'
expect_status 400 /dynamic/orders --json "$(printf '[%.0s' $(seq 100000))"
expect_status 415 /dynamic/orders --data 'item=pen'

finish
