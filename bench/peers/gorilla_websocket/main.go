// WebSockets by gorilla/websocket, as ../README.md asks for.
package main

import (
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"github.com/gorilla/websocket"
)

var upgrader = websocket.Upgrader{}

func echo(writer http.ResponseWriter, request *http.Request) {
	conn, err := upgrader.Upgrade(writer, request, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	for {
		kind, message, err := conn.ReadMessage()
		if err != nil || conn.WriteMessage(kind, message) != nil {
			return
		}
	}
}

type topic struct {
	mutex     sync.Mutex
	listeners map[*websocket.Conn]struct{}
}

// To all but the one that publishes.
func (t *topic) publish(from *websocket.Conn, payload []byte) {
	message, err := websocket.NewPreparedMessage(websocket.TextMessage, payload)
	if err != nil {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for conn := range t.listeners {
		if conn != from {
			conn.WritePreparedMessage(message)
		}
	}
}

func (t *topic) listen(writer http.ResponseWriter, request *http.Request) {
	conn, err := upgrader.Upgrade(writer, request, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	t.mutex.Lock()
	t.listeners[conn] = struct{}{}
	t.mutex.Unlock()
	for {
		_, message, err := conn.ReadMessage()
		if err != nil {
			break
		}
		t.publish(conn, message)
	}
	t.mutex.Lock()
	delete(t.listeners, conn)
	t.mutex.Unlock()
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
	all := topic{listeners: map[*websocket.Conn]struct{}{}}
	http.HandleFunc("/ws/echo", echo)
	http.HandleFunc("/ws/topic", all.listen)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+strconv.Itoa(*port), nil))
}
