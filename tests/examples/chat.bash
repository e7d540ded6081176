source "$(dirname "$0")/serve.bash"

expect_like 200 'new WebSocket' /
expect_status 422 /rooms/lobby
expect_status 422 '/rooms/lobby?name='
expect_status 422 '/rooms/+?name=spy'
expect_status 422 '/rooms/%23?name=spy'
expect_status 426 '/rooms/lobby?name=ann'
expect_field 'Sec-WebSocket-Version: 13'

# Two members, by a client of a few lines.
said=$(python3 - "$address" <<'PYTHON'
import base64, json, os, socket, struct, sys

host, port = sys.argv[1].split(":")

class Member:
    def __init__(self, name):
        self.file = None
        self.socket = socket.create_connection((host, int(port)), 20)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET /rooms/attic?name={name} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        while self.file.readline() not in (b"\r\n", b""):
            pass

    def say(self, text):
        payload = json.dumps({"text": text}).encode()
        self.socket.sendall(bytes([0x81, 0x80 | len(payload)]) + b"\0\0\0\0" + payload)

    def hear(self):
        _, length = self.file.read(2)
        if length == 126:
            length, = struct.unpack("!H", self.file.read(2))
        line = json.loads(self.file.read(length))
        return f'{line["kind"]} {line["name"]} {line["text"]}[{",".join(line["members"])}]'

ann = Member("ann")
print(ann.hear())
ann.say("hello?")
print(ann.hear())
bob = Member("bob")
print(bob.hear())
print(bob.hear())
print(ann.hear())
bob.say("me")
print(ann.hear())
bob.socket.shutdown(socket.SHUT_RDWR)
print(ann.hear())
PYTHON
)
wanted='Joined ann [ann]
Message ann hello?[]
Message ann hello?[]
Joined bob [ann,bob]
Joined bob [ann,bob]
Message bob me[]
Left bob [ann]'
[[ $said == "$wanted" ]] || fail "they heard <$said>"
finish
