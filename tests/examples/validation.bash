source "$(dirname "$0")/serve.bash"

expect 200 '{"id":12001,"guest":"ada@example.org","begin":"2026-07-01","end":"2026-07-05","guests":1,"wishes":[]}' \
  /stays/12 --json '{"id":7,"guest":"ada@example.org","begin":"2026-07-01","end":"2026-07-05"}'
for part in '"pointer":"room","in":"path","code":"maximum","expected":20' \
  '"pointer":"/guest","in":"body","code":"format","expected":"email"' \
  '"pointer":"/begin","in":"body","code":"format","expected":"date"' \
  '"pointer":"/guests","in":"body","code":"maximum","expected":4' \
  '"pointer":"/end","in":"body","code":"missing"'; do
  expect_like 422 "$part" /stays/99 --json '{"guest":"ada","begin":"2026-02-30","guests":9}'
done
expect_type application/problem+json
expect_like 422 '"must be after the begin","pointer":"/end"' \
  /stays/1 --json '{"guest":"ada@example.org","begin":"2026-07-05","end":"2026-07-01"}'
expect_status 404 /stays/one --json '{}'

expect 200 'page 1' /stays
expect_like 422 'must be at least 1' '/stays?page=0'
expect_like 422 'muss mindestens 1 sein' '/stays?page=0' --header 'accept-language: de'

finish
