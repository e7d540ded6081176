source "$(dirname "$0")/serve.bash"

browse=(--cookie-jar "$scratch/jar" --cookie "$scratch/jar" --header 'Sec-Fetch-Site: same-origin')

expect_like 200 '"user":"","items":[],"messages":[]' / "${browse[@]}"
expect_status 303 /items "${browse[@]}" --data item=tea
expect_like 200 '"items":["tea"],"messages":[{"kind":"success","text":"tea is in your basket"}]' / "${browse[@]}"
expect_like 200 '"items":["tea"],"messages":[]' / "${browse[@]}"

# Ten at once: none is lost.
waiting=()
for number in $(seq 10); do
  curl --silent --max-time 60 --output /dev/null --cookie "$scratch/jar" --header 'Sec-Fetch-Site: same-origin' \
    --data "item=$number" "http://$address/items" &
  waiting+=($!)
done
wait "${waiting[@]}"
items=$(curl --silent --cookie "$scratch/jar" "http://$address/" | sed 's/.*"items":\[\([^]]*\)\].*/\1/' | tr -cd , | wc -c)
[[ $items == 10 ]] || fail "there are $items commas between 11 items"

# A login keeps the basket and replaces the id.
cp "$scratch/jar" "$scratch/before"
expect_status 303 /login "${browse[@]}" --data name=anna
expect_like 200 '"user":"anna","items":["tea",' / "${browse[@]}"
expect_like 200 '"user":"","items":[]' / --cookie "$scratch/before"

expect_status 403 /items --cookie "$scratch/jar" --header 'Sec-Fetch-Site: cross-site' --data item=spam
expect_status 403 /items --cookie "$scratch/jar" --data item=spam
token=$(curl --silent --cookie "$scratch/jar" "http://$address/" | sed 's/.*"csrf_token":"\([^"]*\)".*/\1/')
expect_status 303 /items --cookie "$scratch/jar" --data "item=cake&csrf_token=$token"
expect_like 200 '"cake"]' / "${browse[@]}"

cp "$scratch/jar" "$scratch/before"
expect_status 303 /logout "${browse[@]}" --data ''
expect_like 200 '"user":"","items":[]' / --cookie "$scratch/before"
finish
