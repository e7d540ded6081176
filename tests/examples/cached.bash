source "$(dirname "$0")/serve.bash"

# Ten at once: one makes the report, and the others get it.
for number in $(seq 10); do
  curl --silent --max-time 60 "http://$address/report" >"$scratch/report$number" &
  waiting+=($!)
done
wait "${waiting[@]}"
for number in $(seq 10); do
  [[ $(<"$scratch/report$number") == 'report number 1' ]] || fail "the report is <$(<"$scratch/report$number")>"
done

expect 200 'report number 1' /report
expect_field 'age: '
etag=$(sed -n 's/^etag: \(.*\)\r$/\1/Ip' <<<"$fields")
expect 304 '' /report --header "If-None-Match: $etag"
expect_status 200 /report --head
expect 204 '' /report --request DELETE
expect 200 'report number 2' /report
finish
