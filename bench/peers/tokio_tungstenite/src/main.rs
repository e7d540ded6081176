// WebSockets by tokio-tungstenite, as ../README.md asks for. Arguments: port, threads.
use futures_util::{FutureExt, SinkExt, StreamExt};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};

/// Who listens to /ws/topic: each has a queue of its own.
#[derive(Default)]
struct Topic {
    next: u64,
    queues: HashMap<u64, UnboundedSender<Message>>,
}

type Shared = Arc<Mutex<Topic>>;

fn subscribe(topic: &Shared, queue: UnboundedSender<Message>) -> u64 {
    let mut topic = topic.lock().unwrap();
    topic.next += 1;
    let id = topic.next;
    topic.queues.insert(id, queue);
    id
}

/// To all but the one that publishes.
fn publish(topic: &Shared, from: u64, message: Message) {
    for (id, queue) in &topic.lock().unwrap().queues {
        if *id != from {
            let _ = queue.send(message.clone());
        }
    }
}

async fn echo(mut socket: WebSocketStream<TcpStream>) -> Result<(), Error> {
    while let Some(message) = socket.next().await {
        let message = message?;
        if message.is_text() || message.is_binary() {
            socket.feed(message).await?;
            // Those that have come already are answered together.
            while let Some(Some(Ok(message))) = socket.next().now_or_never() {
                if message.is_text() || message.is_binary() {
                    socket.feed(message).await?;
                }
            }
            socket.flush().await?;
        }
    }
    Ok(())
}

async fn listen(socket: WebSocketStream<TcpStream>, topic: Shared) -> Result<(), Error> {
    let (queue, mut published) = unbounded_channel();
    let id = subscribe(&topic, queue);
    let (mut out, mut incoming) = socket.split();
    let writer = tokio::spawn(async move {
        while let Some(message) = published.recv().await {
            if out.feed(message).await.is_err() {
                return;
            }
            while let Ok(message) = published.try_recv() {
                if out.feed(message).await.is_err() {
                    return;
                }
            }
            if out.flush().await.is_err() {
                return;
            }
        }
    });
    while let Some(Ok(message)) = incoming.next().await {
        if message.is_text() {
            publish(&topic, id, message);
        }
    }
    topic.lock().unwrap().queues.remove(&id);
    let _ = writer.await;
    Ok(())
}

async fn accept(stream: TcpStream, topic: Shared) -> Result<(), Error> {
    let mut echoes = false;
    let look = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
        echoes = request.uri().path() == "/ws/echo";
        Ok(response)
    };
    let config = WebSocketConfig::default().read_buffer_size(16 * 1024);
    let socket = tokio_tungstenite::accept_hdr_async_with_config(stream, look, Some(config)).await?;
    if echoes { echo(socket).await } else { listen(socket, topic).await }
}

async fn serve(port: u16) -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::spawn(async move {
        terminate.recv().await;
        std::process::exit(0);
    });
    let topic = Shared::default();
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(accept(stream, topic.clone()));
    }
}

fn main() -> std::io::Result<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|argument| argument.parse().expect("a number")).collect();
    let mut builder = match numbers[1] {
        1 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    builder.worker_threads(numbers[1]).enable_all().build()?.block_on(serve(numbers[0] as u16))
}
