source "$(dirname "$0")/serve.bash"

expect_like 200 'type="file"' /
expect_type 'text/html; charset=utf-8'

# Two files and a name, sent by curl.
printf 'some notes\r\n--\r\n' >"$scratch/notes.txt"
head --bytes 3000000 /dev/urandom >"$scratch/large.bin"
crc32() { python3 -c 'import sys, zlib; print(zlib.crc32(open(sys.argv[1], "rb").read()))' "$1"; }
notes="{\"file_name\":\"notes.txt\",\"content_type\":\"text/plain\",\"size\":16,\"crc32\":$(crc32 "$scratch/notes.txt")}"
large="{\"file_name\":\"large.bin\",\"content_type\":\"application/octet-stream\",\"size\":3000000,\"crc32\":$(crc32 "$scratch/large.bin")}"
expect 200 "{\"name\":\"Ann\",\"files\":[$notes,$large]}" /upload --form name=Ann \
  --form "file=@$scratch/notes.txt" --form "file=@$scratch/large.bin"

# A file name is never a path; what is missing or no form is refused.
expect_like 200 '"file_name":"passwd"' /upload --form name=Ann --form "file=@$scratch/notes.txt;filename=../../etc/passwd"
expect_like 422 name /upload --form "file=@$scratch/notes.txt"
expect_like 422 file /upload --form name=Ann --form file=text
expect_status 415 /upload --data name=Ann
expect_status 400 /upload --header 'Content-Type: multipart/form-data; boundary=b' --data-binary $'--b\r\n'

# As Python's standard library writes a form.
sent=$(python3 - "http://$address/upload" <<'PYTHON'
import email.mime.application, email.mime.multipart, email.mime.text, email.policy, sys, urllib.request
form = email.mime.multipart.MIMEMultipart("form-data", policy=email.policy.HTTP)
for part, disposition in (
        (email.mime.application.MIMEApplication(b"\0\r\n", _encoder=lambda part: None), {"name": "file", "filename": "\u00e9.bin"}),
        (email.mime.text.MIMEText("Bob", _charset=None), {"name": "name"})):
    del part["Content-Transfer-Encoding"]
    part.add_header("Content-Disposition", "form-data", **disposition)
    form.attach(part)
head, _, content = form.as_bytes().partition(b"\r\n\r\n")
request = urllib.request.Request(sys.argv[1], content, {"Content-Type": form["Content-Type"].replace("\r\n", "")})
print(urllib.request.urlopen(request, timeout=10).read().decode())
PYTHON
)
[[ $sent == *'"name":"Bob"'*'"size":3'* ]] || fail "Python was answered <$sent>"

# Content of any size, as it comes.
expect 200 3000000 /stream --data-binary "@$scratch/large.bin"
expect 200 50000000 /stream --header 'Transfer-Encoding: chunked' --header 'Expect:' --data-binary @<(head --bytes 50000000 /dev/zero)
expect 200 0 /stream --request POST

# Nothing is left of the files: each is closed once its request has ended.
left=
for _ in $(seq 100); do
  left=$(find "/proc/$server/fd" -lname '*(deleted)' 2>/dev/null || true)
  [[ -z $left ]] && break
  sleep 0.05
done
[[ -z $left ]] || fail "open files are left: $left"

finish
