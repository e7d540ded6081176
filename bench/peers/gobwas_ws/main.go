// WebSockets by gobwas/ws, as ../README.md asks for.
package main

import (
	"bufio"
	"flag"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"github.com/gobwas/ws"
)

type topic struct {
	mutex     sync.Mutex
	listeners map[net.Conn]struct{}
}

func (t *topic) add(conn net.Conn) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.listeners[conn] = struct{}{}
}

func (t *topic) remove(conn net.Conn) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	delete(t.listeners, conn)
}

// To all but the one that publishes.
func (t *topic) publish(from net.Conn, payload []byte) {
	message, err := ws.CompileFrame(ws.NewTextFrame(payload))
	if err != nil {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for conn := range t.listeners {
		if conn != from {
			conn.Write(message)
		}
	}
}

// The payload lies in `buffer`, or in a larger one that takes its place.
func read(reader io.Reader, buffer []byte) (ws.Header, []byte, error) {
	header, err := ws.ReadHeader(reader)
	if err != nil {
		return header, buffer, err
	}
	if int64(cap(buffer)) < header.Length {
		buffer = make([]byte, header.Length)
	}
	buffer = buffer[:header.Length]
	if _, err = io.ReadFull(reader, buffer); err != nil {
		return header, buffer, err
	}
	if header.Masked {
		ws.Cipher(buffer, header.Mask, 0)
	}
	return header, buffer, nil
}

func echo(reader *bufio.Reader, conn net.Conn) {
	writer := bufio.NewWriter(conn)
	var buffer []byte
	for {
		header, payload, err := read(reader, buffer)
		if err != nil || header.OpCode == ws.OpClose {
			return
		}
		buffer = payload
		if ws.WriteFrame(writer, ws.NewFrame(header.OpCode, header.Fin, payload)) != nil {
			return
		}
		// Those that have come already are answered together.
		if reader.Buffered() == 0 && writer.Flush() != nil {
			return
		}
	}
}

func (t *topic) listen(reader *bufio.Reader, conn net.Conn) {
	t.add(conn)
	defer t.remove(conn)
	var buffer []byte
	for {
		header, payload, err := read(reader, buffer)
		if err != nil || header.OpCode == ws.OpClose {
			return
		}
		buffer = payload
		t.publish(conn, payload)
	}
}

func (t *topic) serve(conn net.Conn) {
	defer conn.Close()
	echoes := false
	upgrader := ws.Upgrader{OnRequest: func(uri []byte) error {
		echoes = string(uri) == "/ws/echo"
		return nil
	}}
	if _, err := upgrader.Upgrade(conn); err != nil {
		return
	}
	if reader := bufio.NewReader(conn); echoes {
		echo(reader, conn)
	} else {
		t.listen(reader, conn)
	}
}

func main() {
	port := flag.Int("port", 8080, "where to serve")
	threads := flag.Int("threads", 1, "GOMAXPROCS")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)

	go func() {
		terminate := make(chan os.Signal, 1)
		signal.Notify(terminate, syscall.SIGTERM)
		<-terminate
		os.Exit(0)
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(*port))
	if err != nil {
		log.Fatal(err)
	}
	all := topic{listeners: map[net.Conn]struct{}{}}
	for {
		conn, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go all.serve(conn)
	}
}
