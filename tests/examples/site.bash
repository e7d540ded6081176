here=$(realpath "$(dirname "$0")")
set -- "$(realpath "$1")"
source "$here/serve.bash"

expect_like 200 '<title>Skerry Light</title>' /
expect_type 'text/html; charset=utf-8'
expect_like 200 '<td>November to February</td><td><span class="quiet">closed</span></td>' /
expect_field 'cache-control: no-cache'
etag=$(sed -n 's/^etag: \(.*\)\r$/\1/Ip' <<<"$fields")
expect 304 '' / --header "If-None-Match: $etag"
expect_status 200 / --head --header 'Accept-Encoding: br'
expect_field 'content-encoding: br'

# Assets by the hash of their content.
ask /
style=$(grep -o '/assets/style\.[0-9a-f]\{16\}\.css' <<<"$body") || fail 'the page does not link its style by a hash'
expect_like 200 'color-scheme' "$style"
expect_field 'cache-control: max-age=31536000, immutable'
expect_status 200 "$style" --head --header 'Accept-Encoding: br, gzip'
expect_field 'content-encoding: br'
etag=$(sed -n 's/^etag: \(.*\)\r$/\1/Ip' <<<"$fields")
expect 304 '' "$style" --header 'Accept-Encoding: br, gzip' --header "If-None-Match: $etag"
expect_status 404 /assets/style.0123456789abcdef.css

# A form that is shown again, and one that is stored.
expect_like 422 'value="&quot;&gt;&lt;script&gt;"' /guestbook --data-urlencode 'name="><script>' --data stars=six --data message=
expect_like 422 'id="stars-error"' /guestbook --data name=A --data stars=6 --data message=Hello
expect_status 303 /guestbook --data name=Ada --data stars=5 --data-urlencode 'message=<b>Lovely</b> & bright'
expect_field 'location: /guestbook'
expect_like 200 '&lt;b&gt;Lovely&lt;/b&gt; &amp; bright' /guestbook
expect_like 200 '★★★★★' /guestbook

expect_like 404 '<code>/%3Cnone%3E</code>' '/%3Cnone%3E'

finish
