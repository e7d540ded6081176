source "$(dirname "$0")/serve.bash"

# Posted as JSON, as it is and compressed.
json=(--header 'Content-Type: application/json' --data-binary @-)
post() {
  curl --silent --max-time 20 --output /dev/null --write-out '%{http_code}' "${json[@]}" "$@" "http://$address/measurements"
}
said=$(printf '[{"sensor": 1, "celsius": 20.5}]' | post)
[[ $said == 204 ]] || fail "plain measurements are answered by $said"
said=$(printf '[{"sensor": 2, "celsius": 4}]' | gzip | post --header 'Content-Encoding: gzip')
[[ $said == 204 ]] || fail "measurements in gzip are answered by $said"
said=$(printf '[{"sensor": 3, "celsius": -1.25}]' | zstd | post --header 'Content-Encoding: zstd')
[[ $said == 204 ]] || fail "measurements in zstd are answered by $said"

# Two megabytes of blanks, and what is no gzip.
said=$(head --bytes 2000000 /dev/zero | tr '\0' ' ' | gzip | post --header 'Content-Encoding: gzip')
[[ $said == 413 ]] || fail "too many measurements are answered by $said"
said=$(printf 'x' | post --header 'Content-Encoding: gzip')
[[ $said == 400 ]] || fail "malformed gzip is answered by $said"
said=$(printf 'x' | post --header 'Content-Encoding: x')
[[ $said == 415 ]] || fail "an unknown coding is answered by $said"

lines='{"sensor":1,"celsius":20.5}|{"sensor":2,"celsius":4}|{"sensor":3,"celsius":-1.25}|'
for coding in gzip br zstd identity; do
  said=$(curl --silent --max-time 20 --compressed --header "Accept-Encoding: $coding" "http://$address/measurements" | tr '\n' '|')
  [[ $said == "$lines" ]] || fail "in $coding the list is <$said>"
done
finish
