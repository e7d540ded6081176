here=$(realpath "$(dirname "$0")")
set -- "$(realpath "$1")"
folder=$(mktemp -d)
cd "$folder"
printf '0123456789' >digits.txt
mkdir sub
head --bytes 5000000 /dev/urandom >sub/large.bin
ln -s /etc/passwd out
source "$here/serve.bash"
trap 'kill "$server" 2>/dev/null || true; rm -rf "$scratch" "$folder"' EXIT

expect_like 200 'digits.txt' /
expect_type 'text/html; charset=utf-8'
expect 200 0123456789 /digits.txt
expect_type 'text/plain; charset=utf-8'
expect_field 'accept-ranges: bytes'
etag=$(sed -n 's/^etag: \(.*\)\r$/\1/Ip' <<<"$fields")
expect 304 '' /digits.txt --header "If-None-Match: $etag"
expect 206 234 /digits.txt --range 2-4
expect_field 'content-range: bytes 2-4/10'
expect_like 206 'Content-Range: bytes 8-9/10' /digits.txt --range 0-1,8-9
expect_status 416 /digits.txt --range 10-
expect_status 200 /digits.txt --head
expect_field 'content-length: 10'
expect_status 308 /sub
expect_status 404 /out
expect_status 404 /nothing
expect_status 400 /../digits.txt
expect_status 400 /%2e%2e/etc/passwd
expect 200 0123456789 '/download?name=digits.txt'
expect_field 'content-disposition: attachment; filename="digits.txt"'
expect_status 404 '/download?name=../etc/passwd'

curl --silent --max-time 60 "http://$address/sub/large.bin" --output "$scratch/large.bin"
cmp "$scratch/large.bin" "$folder/sub/large.bin" || fail "a large file arrives otherwise than it is"
curl --silent --max-time 60 --range 4000000- "http://$address/sub/large.bin" --output "$scratch/large.bin"
cmp "$scratch/large.bin" <(tail --bytes 1000000 "$folder/sub/large.bin") || fail "its end arrives otherwise than it is"

finish
