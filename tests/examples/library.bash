source "$(dirname "$0")/serve.bash"

book=(--json '{"title":"Emma","year":1815}')
expect 201 '{"id":1,"title":"Emma","year":1815}' /books "${book[@]}"
expect_field 'location: /books/1'
expect_like 409 'title' /books "${book[@]}"
expect_status 422 /books --json '{"title":""}'
expect 201 '{"id":2,"title":"The \"Odyssey\"","year":null}' /books --json '{"title":"The \"Odyssey\"","year":null}'
expect 200 '{"id":1,"title":"Emma","year":1815}' /books/1
expect_status 404 /books/7
expect 200 '[{"id":1,"title":"Emma","year":1815}]' '/books?from=1800'
expect 200 '{"id":2,"title":"Odyssey","year":-700}' /books/2 --request PUT --json '{"title":"Odyssey","year":-700}'
expect_status 404 /books/7 --request PUT --json '{"title":"x","year":1}'

expect_like 200 '"reader":"Ada"' /books/1/loans --json '{"reader":"Ada"}'
expect_status 409 /books/1/loans --json '{"reader":"Bob"}'
expect_status 404 /books/7/loans --json '{"reader":"Bob"}'
expect_status 409 /books/1 --request DELETE
expect_status 204 /books/2 --request DELETE
expect_status 404 /books/2 --request DELETE

expect 200 $'id,title,year\r\n1,"Emma",1815\r' /books.csv

# A file keeps its books; a file that is no database is an error of the start.
echo 'this is a text, and no database, however it is named' >"$scratch/text.db"
for _ in {1..100}; do echo 'more text' >>"$scratch/text.db"; done
if "$program" --port 0 --database "$scratch/text.db" 2>"$scratch/refused"; then fail "it serves a text as a database"; fi
grep --quiet 'text.db: file is not a database' "$scratch/refused" || fail "the reason: $(<"$scratch/refused")"

finish
