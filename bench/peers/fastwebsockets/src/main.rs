// WebSockets by fastwebsockets, as ../README.md asks for. Arguments: port, threads.
use bytes::Bytes;
use fastwebsockets::upgrade::{UpgradeFut, upgrade};
use fastwebsockets::{Frame, OpCode, Payload, WebSocketError};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Who listens to /ws/topic: each has a queue of its own.
#[derive(Default)]
struct Topic {
    next: u64,
    queues: HashMap<u64, UnboundedSender<Bytes>>,
}

type Shared = Arc<Mutex<Topic>>;

fn subscribe(topic: &Shared, queue: UnboundedSender<Bytes>) -> u64 {
    let mut topic = topic.lock().unwrap();
    topic.next += 1;
    let id = topic.next;
    topic.queues.insert(id, queue);
    id
}

/// To all but the one that publishes.
fn publish(topic: &Shared, from: u64, message: Bytes) {
    for (id, queue) in &topic.lock().unwrap().queues {
        if *id != from {
            let _ = queue.send(message.clone());
        }
    }
}

async fn echo(upgrade: UpgradeFut) -> Result<(), WebSocketError> {
    let mut socket = upgrade.await?;
    socket.set_auto_close(true);
    socket.set_auto_pong(true);
    loop {
        let frame = socket.read_frame().await?;
        match frame.opcode {
            OpCode::Close => return Ok(()),
            OpCode::Text | OpCode::Binary => socket.write_frame(Frame::new(true, frame.opcode, None, frame.payload)).await?,
            _ => {}
        }
    }
}

async fn listen(upgrade: UpgradeFut, topic: Shared) -> Result<(), WebSocketError> {
    let (mut incoming, mut out) = upgrade.await?.split(tokio::io::split);
    let (queue, mut published) = unbounded_channel::<Bytes>();
    let answers = queue.clone();
    let id = subscribe(&topic, queue);
    let writer = tokio::spawn(async move {
        while let Some(message) = published.recv().await {
            if out.write_frame(Frame::text(Payload::Borrowed(&message))).await.is_err() {
                return;
            }
        }
    });
    loop {
        // Pongs and the answer to a close would go by the queue too; the client sends neither pings nor closes here.
        let frame = incoming.read_frame(&mut |_| async { Ok::<(), std::io::Error>(()) }).await;
        match frame {
            Ok(frame) if frame.opcode == OpCode::Text => publish(&topic, id, Bytes::copy_from_slice(&frame.payload)),
            Ok(frame) if frame.opcode != OpCode::Close => {}
            _ => break,
        }
    }
    topic.lock().unwrap().queues.remove(&id);
    drop(answers);
    let _ = writer.await;
    Ok(())
}

async fn answer(mut request: Request<Incoming>, topic: Shared) -> Result<Response<Empty<Bytes>>, WebSocketError> {
    let echoes = request.uri().path() == "/ws/echo";
    let (response, upgraded) = upgrade(&mut request)?;
    tokio::spawn(async move { if echoes { echo(upgraded).await } else { listen(upgraded, topic).await } });
    Ok(response)
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
        let topic = topic.clone();
        let service = service_fn(move |request| answer(request, topic.clone()));
        tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades());
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
