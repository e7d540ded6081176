# The admin address has a port of its own, which is the second that the log names.
admin_of() { sed -n 's/.*serving [^,]*, \(127\.0\.0\.1:[0-9]*\).*/\1/p' "$1"; }
wrapped=$(mktemp)
trap 'rm -f "$wrapped"' EXIT
printf '#!/bin/sh\nexec "%s" --admin-port 0 "$@"\n' "$1" >"$wrapped"
chmod +x "$wrapped"
set -- "$wrapped"
source "$(dirname "$0")/serve.bash"
rm -f "$wrapped"
public=$address
admin=$(admin_of "$scratch/err")

expect 201 '{"number":1,"article":"tea","cents":350}' /orders --json '{"article":"tea","cents":350}'
expect_status 201 /orders --json '{"article":"cake","cents":700}'
expect_status 404 /metrics

address=$admin
expect_like 200 'shop_orders_total{kind="drink"} 1' /metrics
expect_type 'text/plain; version=0.0.4; charset=utf-8'
expect_like 200 'shop_orders_total{kind="food"} 1' /metrics
expect_like 200 'shop_order_euros_bucket{le="5"} 1' /metrics
expect_like 200 'http_server_request_duration_seconds_count{http_request_method="POST",http_route="/orders",http_response_status_class="2xx",http_response_status_code="201",network_protocol_version="1.1"} 2' /metrics
expect_like 200 '"status":"pass"' /readyz
expect_like 200 '"pattern":"/orders"' /routes

address=$public
expect_status 204 /close --request POST
expect_status 503 /orders --json '{"article":"tea","cents":350}'
address=$admin
for _ in $(seq 100); do
  ask /readyz
  [[ $status == 503 ]] && break
  sleep 0.05
done
expect_like 503 'the shop is closed' /readyz
expect_like 200 'shop_open 0' /metrics
finish
